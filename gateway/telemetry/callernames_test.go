package telemetry

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/auth"
	"pixgraph/request"
	"pixgraph/serve"
)

// callOf returns the context of a request with a token that an API has accepted.
func callOf(t *testing.T, a *auth.Authenticator, token string) context.Context {
	t.Helper()
	identity, err := a.Authenticate(&http.Request{Header: http.Header{"Authorization": {"Bearer " + token}}})
	if err != nil {
		t.Fatal(err)
	}
	identity.Accept()
	return request.NewContext(t.Context(), &request.Call{Identity: identity})
}

// TestNamesAreShared: a caller that invents names takes none from other callers, and theirs are counted under their
// names. A name that is not used for a while is forgotten with its series.
func TestNamesAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, err := auth.New(auth.Config{Mode: auth.ModeForward})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		m := New()
		send := func(ctx context.Context, name string) {
			m.End(m.Begin(ctx, serve.Operation{}), serve.Operation{Name: name, Type: "query"}, serve.Result{
				Ran: true, Client: request.Client{Name: name}, Codes: []string{"NOT_FOUND"}, Deprecated: name == "Early",
			})
		}
		flood, other := callOf(t, a, "flood"), callOf(t, a, "other")
		send(other, "Early")
		for n := range 2 * maxOperations {
			send(flood, fmt.Sprint("flood", n))
		}
		for n := range maxClients / 2 {
			time.Sleep(time.Millisecond)
			send(other, fmt.Sprint("Screen", n))
		}
		text := scrape(m)
		if !strings.Contains(text, `"flood150"`) || strings.Contains(text, fmt.Sprintf(`"flood%d"`, 2*maxOperations-1)) {
			t.Error("invented names replace names of their caller, so that there are ever more series")
		}
		if !strings.Contains(text, `pixgraph_client_deprecated_total{client="Early",version="unknown"} 1`) {
			t.Error("no operation with deprecated fields is counted")
		}
		for _, name := range []string{"Early", "Screen0", fmt.Sprint("Screen", maxClients/2-2)} {
			if !strings.Contains(text, fmt.Sprintf(`pixgraph_operations_total{operation=%q,outcome="ok"} 1`, name)) {
				t.Errorf("the operation %s has no series", name)
			}
			if !strings.Contains(text, fmt.Sprintf(`pixgraph_client_operations_total{client=%q,version="unknown"} 1`, name)) {
				t.Errorf("the client %s has no series", name)
			}
		}
		for metric, limit := range map[string]int{
			"pixgraph_operation_duration_seconds_count{": maxOperations + 1, "pixgraph_client_operations_total{": maxClients + 1,
			"pixgraph_operation_errors_total{": maxOperations - 2 + 1, // those that are always present had no error
		} {
			if n := strings.Count(text, "\n"+metric); n != limit {
				t.Errorf("%d series of %s, want %d", n, metric, limit)
			}
		}
		time.Sleep(forgetAfter - time.Minute)
		send(other, "Early")
		time.Sleep(time.Minute)
		text = scrape(m)
		if strings.Contains(text, "flood") || strings.Contains(text, "Screen") || !strings.Contains(text, `{operation="Early",outcome="ok"} 2`) {
			t.Errorf("after %v without use: %s", forgetAfter, text)
		}
		if !strings.Contains(text, `operation="anonymous"`) || !strings.Contains(text, `operation="none"`) {
			t.Error("the names that are always present are forgotten")
		}
	})
}
