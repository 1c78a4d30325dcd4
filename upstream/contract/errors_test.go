package contract_test

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"pixgraph/sandbox"
)

// unknownID is an id without a record, in a form that every endpoint accepts.
const unknownID = "00000000-0000-4000-8000-000000000000"

// scoped makes the core endpoints require a scope, as an API may (spec 5): otherwise they never respond with 403.
var scoped = sandbox.Config{Records: 1, CoreScope: "read"}

// errorCalls returns, for each status, a function that changes a valid call so that the sandbox responds with that
// status.
func errorCalls(a *api) map[int]func(*testing.T, call) call {
	return map[int]func(*testing.T, call) call{
		http.StatusOK: func(_ *testing.T, c call) call { return c },
		http.StatusUnauthorized: func(_ *testing.T, c call) call {
			c.bearer = ""
			return c
		},
		http.StatusForbidden: func(_ *testing.T, c call) call {
			c.bearer = a.narrow
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
			if a.validate(t, c) == nil {
				t.Error("the document accepts this")
			}
			return c
		},
		http.StatusInternalServerError: func(t *testing.T, c call) call {
			t.Cleanup(a.Inject(sandbox.Fault{Status: http.StatusInternalServerError}))
			return c
		},
	}
}

// TestStatuses: the sandbox can respond with each status that the document lists for an operation, in the form that the
// document describes. The 500 is an injected fault, since the sandbox has no other.
func TestStatuses(t *testing.T) {
	a := target(t, scoped)
	calls := errorCalls(a)
	for _, e := range a.endpoints(t) {
		valid := call{endpoint: e, id: a.ids[e.path], bearer: a.token}
		for code := range e.Responses.Map() {
			if a.Sandbox == nil && (code == "500" || code == "403" && e.server == coreServer) {
				continue // the contract does not show how to get these
			}
			t.Run(e.OperationID+"/"+code, func(t *testing.T) {
				want, err := strconv.Atoi(code)
				if err != nil || calls[want] == nil {
					t.Fatalf("there is no call for the status %s", code)
				}
				if status, _ := a.call(t, calls[want](t, valid)); status != want {
					t.Errorf("status %d, want %d", status, want)
				}
			})
		}
	}
}
