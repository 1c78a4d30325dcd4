package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"time"

	"pixgraph/sandbox"
)

// faults returns the faults that are injected one after the other, for one service or for both.
func faults() []sandbox.Fault {
	const size = 64 << 20 // several times what the gateway reads of a body
	return []sandbox.Fault{
		{Latency: 200 * time.Millisecond}, {Service: sandbox.Core, Status: 500},
		{Service: sandbox.Dispatcher, Kind: sandbox.FaultHang}, {Kind: sandbox.FaultReset},
		{Service: sandbox.Core, Kind: sandbox.FaultHang}, {Service: sandbox.Dispatcher, Status: 503},
		{Kind: sandbox.FaultResetBody}, {Service: sandbox.Core, Kind: sandbox.FaultHangBody},
		{Service: sandbox.Core, Status: 429}, {Kind: sandbox.FaultTruncate},
		{Route: sandbox.RouteTransaction, Kind: sandbox.FaultHuge, Size: size}, {Kind: sandbox.FaultHTML},
		{Route: sandbox.RouteNotification, Kind: sandbox.FaultGzipBomb, Size: size}, {Kind: sandbox.FaultBadJSON},
		{Kind: sandbox.FaultDrip}, {Kind: sandbox.FaultEmpty},
		{Service: sandbox.Core, Status: 401}, {Kind: sandbox.FaultRedirect, Location: "http://127.0.0.1:1/"},
	}
}

// injectFaults divides the time into seven parts, and injects a fault in the second, fourth and sixth. In the third
// part the issuer is down; after it, the issuer has new keys.
func (s *soak) injectFaults(ctx context.Context, over time.Duration) {
	all, undo := faults(), func() {}
	for i := 0; wait(ctx, over/7) == nil; i++ {
		undo()
		undo = func() {}
		if i%2 == 0 {
			undo = s.box.Inject(all[s.fault%len(all)])
			s.fault++
		}
		s.box.Issuer().SetDown(i == 1)
	}
	undo()
	s.box.Issuer().SetDown(false)
}

// differing is the number of different documents and of names of clients: many times what the gateway keeps of them.
const differing = 20_000

// operation returns a random operation.
func (s *soak) operation() operation {
	transactions, notifications := s.box.Ledger().Transactions(), s.box.Ledger().Notifications()
	switch rand.IntN(6) {
	case 0, 1:
		return operation{Query: document("payment"), Variables: map[string]any{"id": transactions[rand.IntN(100)].ID}}
	case 2:
		ids := idsOf(notifications[rand.IntN(80):][:20])
		return operation{Query: document("several"), Variables: map[string]any{"ids": ids}}
	case 3:
		return registered(rand.IntN(differing))
	case 4:
		return operation{Query: "query Broken { deposits(perPage: 1000, nothing: 1) { nodes { id } } "}
	default:
		return operation{Query: document("Q3")}
	}
}

// padding makes registered documents so long that those of a run with default flags fill every cache of documents,
// which are bounded in bytes.
var padding = " #" + strings.Repeat(" ", 8<<10)

// registered returns the n-th document, with the hash that registers it (APQ).
func registered(n int) operation {
	text := fmt.Sprintf("query Differing%d { withdrawals(perPage: 1) { totalCount } }", n) + padding
	return operation{Query: text, Extensions: persisted(text)}
}

// request sends a random request. One in twenty is abandoned: its client may close the connection before the response.
func (s *soak) request(ctx context.Context, c *connection, _ int) (string, time.Duration, error) {
	abandoned := rand.IntN(20) == 0
	if abandoned {
		brief, end := context.WithTimeout(ctx, time.Duration(rand.IntN(20_000))*time.Microsecond)
		defer end()
		ctx = brief
	}
	outcome, err := s.send(ctx, c, s.operation(), s.tokens[rand.IntN(len(s.tokens))], rand.IntN(differing))
	if abandoned && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)) { // the latter while it connects
		return "abandoned", 0, nil
	}
	return outcome, 0, err
}

// send sends a request with the name of a client. It returns an error if the response is wrong whatever the APIs do: if
// there is no response, if it is not JSON, or if its status is not 200, 401 or 503.
func (s *soak) send(ctx context.Context, c *connection, body operation, token string, name int) (string, error) {
	status, response, err := c.do(ctx, post("/graphql", token, body, fmt.Sprintf("Apollographql-Client-Name: app-%d", name)))
	if err != nil {
		return "", err
	}
	if status != http.StatusOK && status != http.StatusUnauthorized && status != http.StatusServiceUnavailable || !json.Valid(response) {
		return "", fmt.Errorf("a response has the status %d and %d bytes, valid JSON: %t", status, len(response), json.Valid(response))
	}
	code, _ := codeOf(response)
	return code, nil
}
