package serve

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"weak"

	"pixgraph/request"
)

// TestSessionHoldsNoResponse: an open WebSocket does not keep the response of the request that opened it, which has the
// buffers of net/http.
func TestSessionHoldsNoResponse(t *testing.T) {
	response := httptest.NewRecorder()
	held := weak.Make(response)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	session := new(Gateway).newSession(&request.Call{Writer: response}, r)
	runtime.GC()
	if held.Value() != nil {
		t.Error("the response is held")
	}
	runtime.KeepAlive(session)
}
