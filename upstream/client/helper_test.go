package client_test

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/internal/certs/certstest"
	"pixgraph/internal/egress"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// config is the configuration of a client and of its operations.
type config struct {
	client.Config
	Token, Caller func(context.Context) string
	Header        func(context.Context) client.Header
	Observe       func(context.Context, client.Exchange)
	ByClient      bool // whether the client chose the deadline of a session
}

// testClient makes each call in the session of its context (openSession), or in a new session.
type testClient struct {
	*client.Client
	config config
}

// newClient returns a client that uses one server for both services.
func newClient(t *testing.T, url string, changes ...func(*config)) *testClient {
	t.Helper()
	c := config{
		Config: client.Config{CoreURL: url, DispatcherURL: url},
		Token:  func(context.Context) string { return token },
		Caller: func(context.Context) string { return "" },
	}
	for _, change := range changes {
		change(&c)
	}
	if c.Core == nil {
		c.Core = openAccess(t, egress.Config{})
	}
	if c.Dispatcher == nil {
		c.Dispatcher = openAccess(t, egress.Config{})
	}
	apis, err := client.New(c.Config)
	must(t, err)
	t.Cleanup(apis.Close)
	return &testClient{apis, c}
}

// newClientFunc is newClient, with one of the two HTTP clients.
type newClientFunc func(t *testing.T, url string, changes ...func(*config)) *testClient

// bubble runs a subtest with a clock of its own, which moves on when all goroutines wait.
func bubble(t *testing.T, name string, test func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

// ofBoth runs bubbles with both HTTP clients, whose servers are those of serve. Calls with NetHTTP use HTTP/2.
func ofBoth(t *testing.T, name string, test func(*testing.T, newClientFunc)) {
	t.Helper()
	t.Run(name+" of http1", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(t, newClient) })
	})
	t.Run(name+" of net/http", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			test(t, func(t *testing.T, url string, changes ...func(*config)) *testClient {
				return newClient(t, url, append(changes, func(c *config) {
					one := c.CoreURL == c.DispatcherURL
					c.HTTP = client.NetHTTP
					c.CoreURL, c.Core = serveHTTP2(t, c.CoreURL)
					if c.Dispatcher = c.Core; one {
						c.DispatcherURL = c.CoreURL
					} else {
						c.DispatcherURL, c.Dispatcher = serveHTTP2(t, c.DispatcherURL)
					}
				})...)
			})
		})
	})
}

// wantJoined waits until nothing else happens, and checks how many calls wait for identical ones.
func wantJoined(t *testing.T, c *testClient, want int) {
	t.Helper()
	if synctest.Wait(); c.Joined() != want {
		t.Fatalf("%d calls have joined others, want %d", c.Joined(), want)
	}
}

// serveHTTP2 starts a server that speaks HTTP/2, with the handler of a server of serve.
func serveHTTP2(t *testing.T, address string) (string, *egress.Access) {
	t.Helper()
	base, _ := url.Parse(address)
	handler, ok := served.Load("http://" + base.Host)
	if !ok {
		t.Fatalf("%s is not of serve", address)
	}
	ca := certstest.New(t, "ca")
	server := &httptest.Server{Listener: listen(t), Config: &http.Server{ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}}
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Errorf("a request over %s", r.Proto)
		}
		handler.(http.HandlerFunc)(w, r)
	})
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{Certificates: []tls.Certificate{ca.Issue(t, time.Hour*24).TLS(t)}}
	server.StartTLS()
	t.Cleanup(server.Close)
	access := openAccess(t, egress.Config{CA: certstest.Write(t, t.TempDir(), "ca.crt", ca.PEM)})
	base.Scheme, base.Host = "https", server.Listener.Addr().String()
	return base.String(), access
}

// openAccess opens the way to a server of the test.
func openAccess(t *testing.T, c egress.Config) *egress.Access {
	t.Helper()
	c.Dialer, c.Resolver = &network, &network
	access, err := egress.Open(c)
	must(t, err)
	t.Cleanup(access.Close)
	return access
}

// Keys of the context of a call.
type (
	sessionKey struct{}
	callerKey  struct{}
	bearerKey  struct{}
)

// openSession returns a context whose calls share one session.
func (c *testClient) openSession(ctx context.Context, deadline time.Time) (shared context.Context, end func()) {
	operation := c.operation(ctx)
	operation.Deadline, operation.ClientDeadline = deadline, c.config.ByClient
	session := c.Open(operation)
	return context.WithValue(ctx, sessionKey{}, session), session.End
}

func (c *testClient) operation(ctx context.Context) client.Operation {
	return client.Operation{Bearer: c.config.Token(ctx), Caller: c.config.Caller(ctx), Observer: c}
}

func (c *testClient) session(ctx context.Context) *client.Session {
	if session, ok := ctx.Value(sessionKey{}).(*client.Session); ok {
		return session
	}
	return c.Open(c.operation(ctx))
}

// Begin implements client.Observer.
func (c *testClient) Begin(ctx context.Context, header client.Header) (context.Context, client.Header) {
	if c.config.Header != nil {
		header = c.config.Header(ctx)
	}
	return ctx, header
}

// End implements client.Observer.
func (c *testClient) End(ctx context.Context, e client.Exchange) {
	if c.config.Observe != nil {
		c.config.Observe(ctx, e)
	}
}

func (c *testClient) Deposits(
	ctx context.Context, filter *upstream.DepositFilter, page client.PageRequest,
) (*upstream.Page[upstream.Deposit], error) {
	return c.session(ctx).Deposits(ctx, filter, page)
}

func (c *testClient) Withdrawals(
	ctx context.Context, filter *upstream.WithdrawalFilter, page client.PageRequest,
) (*upstream.Page[upstream.Withdrawal], error) {
	return c.session(ctx).Withdrawals(ctx, filter, page)
}

func (c *testClient) Withdrawal(ctx context.Context, id string) (*upstream.Withdrawal, error) {
	return c.session(ctx).Withdrawal(ctx, id)
}

func (c *testClient) Transaction(ctx context.Context, id string) (*upstream.Transaction, error) {
	return c.session(ctx).Transaction(ctx, id)
}

func (c *testClient) Notification(ctx context.Context, id string) (*upstream.Notification, error) {
	return c.session(ctx).Notification(ctx, id)
}

// wantOK is must for goroutines, and for tests that continue after an error.
func wantOK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
