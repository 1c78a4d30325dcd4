package pipeline

import (
	"net/http"
	"net/http/httptest"
	"pixgraph/request"
	"runtime"
	"testing"
	"weak"
)

// TestSessionHoldsNoResponse: an open WebSocket does not keep the response of the request that opened it, which has the
// buffers of net/http.
func TestSessionHoldsNoResponse(t *testing.T) {
	response := httptest.NewRecorder()
	held := weak.Make(response)
	request := httptest.NewRequestWithContext(request.NewContext(t.Context(), &request.Call{Writer: response}), http.MethodGet, "/", nil)
	session := new(Gateway).newSession(request)
	runtime.GC()
	if held.Value() != nil {
		t.Error("the response is held")
	}
	runtime.KeepAlive(session)
}
