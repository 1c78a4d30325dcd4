package upstream_test

import (
	"context"
	"testing"
	"time"

	"pixgraph/upstream"
)

// config is a client's configuration, and what its operations bring.
type config struct {
	upstream.Config
	Token, Caller func(context.Context) string
	Header        func(context.Context) upstream.Header
	Observe       func(context.Context, upstream.Exchange)
}

// client makes each call in the session of its context (within), or in one of its own.
type client struct {
	*upstream.Client
	config config
}

// newClient returns a client of one server that is both services.
func newClient(t *testing.T, url string, changes ...func(*config)) *client {
	t.Helper()
	c := config{
		Config: upstream.Config{CoreURL: url, DispatcherURL: url},
		Token:  func(context.Context) string { return token },
		Caller: func(context.Context) string { return "" },
	}
	for _, change := range changes {
		change(&c)
	}
	made, err := upstream.New(c.Config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(made.Close)
	return &client{made, c}
}

type sessionKey struct{}

// within joins the calls that are made with the context to one session.
func (c *client) within(ctx context.Context, deadline time.Time) (joined context.Context, end func()) {
	operation := c.operation(ctx)
	operation.Deadline = deadline
	session := c.Open(operation)
	return context.WithValue(ctx, sessionKey{}, session), session.End
}

func (c *client) operation(ctx context.Context) upstream.Operation {
	return upstream.Operation{Bearer: c.config.Token(ctx), Caller: c.config.Caller(ctx), Observer: c}
}

func (c *client) session(ctx context.Context) *upstream.Session {
	if session, ok := ctx.Value(sessionKey{}).(*upstream.Session); ok {
		return session
	}
	return c.Open(c.operation(ctx))
}

// Begin implements upstream.Observer.
func (c *client) Begin(ctx context.Context, header upstream.Header) upstream.Header {
	if c.config.Header != nil {
		return c.config.Header(ctx)
	}
	return header
}

// End implements upstream.Observer.
func (c *client) End(ctx context.Context, e upstream.Exchange) {
	if c.config.Observe != nil {
		c.config.Observe(ctx, e)
	}
}

func (c *client) Deposits(ctx context.Context, filter *upstream.DepositFilter, page upstream.PageRequest) (*upstream.Page[upstream.Deposit], error) {
	return c.session(ctx).Deposits(ctx, filter, page)
}

func (c *client) Withdrawals(ctx context.Context, filter *upstream.WithdrawalFilter, page upstream.PageRequest) (*upstream.Page[upstream.Withdrawal], error) {
	return c.session(ctx).Withdrawals(ctx, filter, page)
}

func (c *client) Withdrawal(ctx context.Context, id string) (*upstream.Withdrawal, error) {
	return c.session(ctx).Withdrawal(ctx, id)
}

func (c *client) Transaction(ctx context.Context, id string) (*upstream.Transaction, error) {
	return c.session(ctx).Transaction(ctx, id)
}

func (c *client) Notification(ctx context.Context, id string) (*upstream.Notification, error) {
	return c.session(ctx).Notification(ctx, id)
}
