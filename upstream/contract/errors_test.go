package contract_test

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"pixgraph/upstream/sandbox"
)

// unknownID is the id of no record, of a form that every endpoint takes.
const unknownID = "00000000-0000-4000-8000-000000000000"

// scoped has the core endpoints want a scope, as those of an API may (spec 5): without one there is no 403 of theirs.
var scoped = sandbox.Config{Records: 1, CoreScope: "read"}

// errorCalls make the sandbox answer with each status. The call that is given is good.
func errorCalls(a *api) map[int]func(*testing.T, call) call {
	return map[int]func(*testing.T, call) call{
		http.StatusOK: func(_ *testing.T, c call) call { return c },
		http.StatusUnauthorized: func(_ *testing.T, c call) call {
			c.bearer = ""
			return c
		},
		http.StatusForbidden: func(_ *testing.T, c call) call {
			c.bearer = a.Token("")
			return c
		},
		http.StatusNotFound: func(_ *testing.T, c call) call {
			c.id = unknownID
			return c
		},
		http.StatusUnprocessableEntity: func(t *testing.T, c call) call {
			if c.id != "" {
				c.id = "x"
			} else {
				c.query = url.Values{"status": {"x"}}
			}
			if a.refusal(t, c) == nil {
				t.Error("the document takes this")
			}
			return c
		},
		http.StatusInternalServerError: func(t *testing.T, c call) call {
			t.Cleanup(a.Inject(sandbox.Fault{Status: http.StatusInternalServerError}))
			return c
		},
	}
}

// TestEveryStatus: each status that the document lists for an operation is one that the sandbox answers with, as the document
// describes it. The 500 is a fault, since the sandbox has none of its own.
func TestEveryStatus(t *testing.T) {
	a := start(t, scoped)
	ids := map[string]string{
		"/transaction/{id}": a.Ledger().Transactions()[0].ID, "/request/{id}": a.Ledger().Notifications()[0].ID,
	}
	calls := errorCalls(a)
	for _, e := range a.endpoints(t) {
		good := call{endpoint: e, id: ids[e.path], bearer: a.Token("read", "get_dispatcher")}
		for code := range e.Responses.Map() {
			t.Run(e.OperationID+"/"+code, func(t *testing.T) {
				want, err := strconv.Atoi(code)
				if err != nil || calls[want] == nil {
					t.Fatalf("no call makes the sandbox answer %s", code)
				}
				if status, _ := a.answer(t, calls[want](t, good)); status != want {
					t.Errorf("status %d, want %d", status, want)
				}
			})
		}
	}
}
