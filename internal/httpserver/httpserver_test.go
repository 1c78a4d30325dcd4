package httpserver_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/internal/httpserver"
	"pixgraph/internal/memnet"
	"pixgraph/test/gatewaytest"
)

func newLog(w io.Writer) *slog.Logger { return slog.New(slog.NewJSONHandler(w, nil)) }

// TestServerErrors: errors that net/http reports are logged, without the data of clients and handlers in their texts.
func TestServerErrors(t *testing.T) {
	tests := []struct {
		name    string
		handler http.HandlerFunc
		class   string
	}{
		{"a panic", func(http.ResponseWriter, *http.Request) { panic("s3cret") }, "panic"},
		{"a second header", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusOK)
			w.WriteHeader(http.StatusNotFound)
		}, "response"},
		{"an invalid length", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "s3cret")
			w.WriteHeader(http.StatusOK)
		}, "response"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var logged gatewaytest.Log
			synctest.Test(t, func(t *testing.T) {
				var network memnet.Network
				url := network.Serve(t, tt.handler, func(s *http.Server) { s.ErrorLog = httpserver.New(nil, newLog(&logged)).ErrorLog })
				if resp, err := network.Client(t).Get(url); err == nil {
					_ = resp.Body.Close()
				}
			})
			var line struct{ Level, Msg, Class string }
			if err := json.Unmarshal([]byte(logged.String()), &line); err != nil {
				t.Fatalf("%v in %q", err, logged.String())
			}
			if line.Level != "ERROR" || line.Msg != "http server error" || line.Class != tt.class {
				t.Errorf("logged %+v, want class %s", line, tt.class)
			}
			for _, text := range []string{"s3cret", "127.0.0.1", "goroutine", ".go:"} {
				if strings.Contains(logged.String(), text) {
					t.Errorf("%q is in the log: %s", text, logged.String())
				}
			}
		})
	}
}

// TestAcceptErrors: errors of Accept have a class of their own, because they come from the process, not from a handler.
func TestAcceptErrors(t *testing.T) {
	var logged gatewaytest.Log
	httpserver.New(nil, newLog(&logged)).ErrorLog.Printf("http: Accept error: %v: accept4: too many open files; retrying in 5ms", "s3cret")
	want := `"class":"accept","reason":"the limit of open files of the process or of the system is reached"`
	if text := logged.String(); !strings.Contains(text, want) || strings.Contains(text, "s3cret") {
		t.Errorf("logged %s", text)
	}
}
