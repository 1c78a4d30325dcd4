package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"pixgraph/internal/process"
	"pixgraph/upstream/sandbox"
	"pixgraph/upstream/sandbox/issuer"
)

// scene is a gateway with its default settings, the sandbox below it, and the core's hanging.
type scene struct {
	plan
	box     *sandbox.Sandbox
	gateway *process.Gateway
	hanging atomic.Bool
}

// defaultRecords of each kind are enough that hundreds of clients do not ask for the same.
const defaultRecords = 4000

// within opens a scene for something, and closes it.
func within(ctx context.Context, p plan, do func(context.Context, *scene) error) (err error) {
	s := &scene{plan: p}
	if s.box, err = sandbox.Start(sandbox.Config{Records: p.records}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.box.Close()) }()
	if s.gateway, err = process.Start(ctx, p.gateway, s.box, p.flags...); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.gateway.Stop()) }()
	return do(ctx, s)
}

// stall has the core hang from now on until hanging is false. The calls that hang then go on hanging, as those do that a
// service has lost: that it is well again is seen by new calls only.
func (s *scene) stall() {
	s.hanging.Store(true)
	s.box.Inject(sandbox.Fault{
		Service: sandbox.Core, Kind: sandbox.FaultHang,
		Match: func(*http.Request) bool { return s.hanging.Load() },
	})
}

// token is one of a caller who may read everything.
func (s *scene) token(caller string) string {
	return s.box.Issuer().Mint(issuer.Grant{Subject: caller, Scopes: []string{issuer.ScopeDispatcher}, TTL: time.Hour})
}

// The operations.
const (
	delivery  = `query Delivery($id: ID!) { notification(id: $id) { id status executions { url response { statusCode } } } }`
	incoming  = `query Incoming($least: Cents!) { deposits(filter: {minAmount: $least}) { totalCount nodes { id amount status } } }`
	outgoing  = `query Outgoing($least: Cents!) { withdrawals(filter: {minAmount: $least}) { totalCount nodes { id amount status } } }`
	payment   = `query Payment($id: ID!) { transaction(id: $id) { id status amount } }`
	statement = `query Statement($ids: [ID!]!) { transactions(ids: $ids) { id status amount } }`
)

// post is a request as it goes over the wire.
func (s *scene) post(token, document string, variables map[string]any) ([]byte, error) {
	body, err := json.Marshal(map[string]any{"query": document, "variables": variables})
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "POST /graphql HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		s.gateway.Address, token, len(body), body), nil
}

// requests makes n of them.
func requests(n int, make func(i int) ([]byte, error)) (all [][]byte, err error) {
	for i := range n {
		request, err := make(i)
		if err != nil {
			return nil, err
		}
		all = append(all, request)
	}
	return all, nil
}

// deliveries are requests of several callers that need the dispatcher only.
func (s *scene) deliveries() ([][]byte, error) {
	const callers = 5
	notifications := s.box.Ledger().Notifications()
	tokens := s.tokens("dispatch", callers)
	return requests(1000, func(i int) ([]byte, error) {
		return s.post(tokens[i%callers], delivery, map[string]any{"id": notifications[i%len(notifications)].ID})
	})
}

// leastAmount is the least that the APIs take as an amount of deposits and withdrawals (spec 4.1 and 4.2), in cents.
const leastAmount = 10

// demands are requests of several callers that need the core, no two of which are the same call.
func (s *scene) demands() ([][]byte, error) {
	const callers = 20
	transactions := s.box.Ledger().Transactions()
	tokens := s.tokens("crowd", callers)
	return requests(20*s.clients, func(i int) ([]byte, error) {
		token := tokens[i%callers]
		switch i % 3 {
		case 0:
			return s.post(token, incoming, map[string]any{"least": i + leastAmount})
		case 1:
			return s.post(token, outgoing, map[string]any{"least": i + leastAmount})
		default:
			return s.post(token, payment, map[string]any{"id": transactions[i%len(transactions)].ID})
		}
	})
}

// statements are requests of one caller of which each takes as many calls as an operation may make at a time.
func (s *scene) statements(caller string) ([][]byte, error) {
	const calls = 16
	token, transactions := s.token(caller), s.box.Ledger().Transactions()
	return requests(len(transactions)/calls, func(i int) ([]byte, error) {
		ids := make([]string, calls)
		for j := range ids {
			ids[j] = transactions[i*calls+j].ID
		}
		return s.post(token, statement, map[string]any{"ids": ids})
	})
}

func (s *scene) tokens(name string, n int) []string {
	tokens := make([]string, n)
	for i := range tokens {
		tokens[i] = s.token(fmt.Sprintf("%s-%d", name, i))
	}
	return tokens
}
