// Command genqlient shows the gateway with genqlient, and is a test of it: it lists deposits, reads the first one's
// transaction, follows it until its first event, and reads a transaction that does not exist.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/Khan/genqlient/graphql"
	"github.com/gorilla/websocket"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// bearer adds the caller's token to each request.
type bearer struct{ token string }

func (b bearer) Do(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultClient.Do(r)
}

// dialer opens WebSockets.
type dialer struct{ *websocket.Dialer }

func (d dialer) DialContext(ctx context.Context, url string, header http.Header) (graphql.WSConn, error) {
	conn, resp, err := d.Dialer.DialContext(ctx, url, header)
	if err != nil {
		return nil, err
	}
	return conn, resp.Body.Close()
}

// seen is what the test compares.
type seen struct {
	Amounts  []int64         `json:"amounts"`
	Amount   int64           `json:"amount"`
	Metadata json.RawMessage `json:"metadata"`
	Event    string          `json:"event"`
	Live     any             `json:"live"`
	Code     any             `json:"code"`
}

func main() {
	if err := run(context.Background(), os.Getenv("GATEWAY"), os.Getenv("TOKEN")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, gateway, token string) error {
	client := graphql.NewClient(gateway, bearer{token})
	least := int64(2)
	list, _, err := Payments(ctx, client, &least)
	if err != nil {
		return err
	}
	var s seen
	for _, deposit := range list.Deposits.Nodes {
		s.Amounts = append(s.Amounts, deposit.Amount)
	}
	id := list.Deposits.Nodes[0].Id
	payment, _, err := Payment(ctx, client, id)
	if err != nil {
		return err
	}
	s.Amount, s.Metadata = payment.Transaction.Amount, *payment.Transaction.Metadata
	if err := s.follow(ctx, gateway, token, id); err != nil {
		return err
	}
	_, _, err = Payment(ctx, client, "00000000-0000-4000-8000-000000000000")
	if list := (gqlerror.List{}); errors.As(err, &list) {
		s.Code = list[0].Extensions["code"]
	}
	return json.NewEncoder(os.Stdout).Encode(s)
}

// follow waits for the first event of a transaction. The token is in the first message: a browser's WebSocket has no
// headers, so the gateway reads none.
func (s *seen) follow(ctx context.Context, gateway, token, id string) error {
	url := "ws" + strings.TrimPrefix(gateway, "http")
	client := graphql.NewClientUsingWebSocket(url, dialer{websocket.DefaultDialer},
		graphql.WithConnectionParams(map[string]any{"authorization": "Bearer " + token}))
	failed, err := client.Start(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	events, subscription, err := PaymentChanges(ctx, client, id)
	if err != nil {
		return err
	}
	select {
	case err := <-failed:
		return err
	case event := <-events:
		if event.Errors != nil {
			return event.Errors
		}
		s.Event, s.Live = string(event.Data.Transaction.Status), event.Extensions["live"]
	}
	return client.Unsubscribe(subscription)
}
