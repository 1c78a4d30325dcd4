package gateway_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/test/replica"
)

// startLoad starts clients that send operations, each with a pause after a response, until stop is called, which
// reports their errors.
func startLoad(t *testing.T, url string, box *replica.Sandbox, clients int, pause time.Duration) (answered *atomic.Int64, stop func()) {
	answered = &atomic.Int64{}
	ctx, end := context.WithCancel(t.Context())
	var sending sync.WaitGroup
	for i := range clients {
		token := box.Token()
		sending.Go(func() {
			// Each client has one connection. A pool may make one that it does not use, which the gateway closes after
			// 5 s while a request begins on it.
			client := &http.Client{Transport: &http.Transport{DialContext: box.Network.DialContext}}
			defer client.CloseIdleConnections()
			for ctx.Err() == nil {
				if err := sendOnce(client, url+"/graphql", token); err != nil {
					t.Errorf("a request failed: %v", err)
					return
				}
				answered.Add(1)
				time.Sleep(pause + time.Duration(i)*pause/time.Duration(clients))
			}
		})
	}
	return answered, func() {
		end()
		sending.Wait()
	}
}

// sendOnce sends one operation. The HTTP client cannot retry the request, because its body can be read only once.
func sendOnce(client *http.Client, url, token string) error {
	const document = `{"query":"{ deposits(perPage: 2) { totalCount } withdrawals(perPage: 1) { totalCount } }"}`
	req, err := http.NewRequest(http.MethodPost, url, io.NopCloser(strings.NewReader(document)))
	if err != nil {
		return err
	}
	req.ContentLength = int64(len(document))
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if want := `{"data":{"deposits":{"totalCount":50},"withdrawals":{"totalCount":50}}}`; err == nil && string(body) != want {
		err = fmt.Errorf("response %d %s", resp.StatusCode, body)
	}
	return err
}
