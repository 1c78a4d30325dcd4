package cors_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/serve/cors"
)

// line is a line of the log about CORS.
type line struct {
	Level, Msg, Origin string
	LinesOmitted       int
}

// logged is a handler with CORS for one origin, and a function that returns the lines that it logged since the last
// call.
func logged(t *testing.T) (http.Handler, func() []line) {
	t.Helper()
	var log strings.Builder
	c, err := cors.New(cors.Config{
		Origins: []string{"https://app.example.com"}, Log: slog.New(slog.NewJSONHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c.Answer(w, r) }), func() (lines []line) {
		for text := range strings.Lines(log.String()) {
			var line line
			if err := json.Unmarshal([]byte(text), &line); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, line)
		}
		log.Reset()
		return lines
	}
}

// ask sends a request with headers, each "Name: value".
func ask(handler http.Handler, method string, headers ...string) {
	r := httptest.NewRequest(method, "http://gateway.example.com/graphql", nil)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Add(name, value)
	}
	handler.ServeHTTP(httptest.NewRecorder(), r)
}

// TestLog: a request that CORS does not allow is logged, with the setting to change, and with text of the request only
// if that is a site or a local address.
func TestLog(t *testing.T) {
	const (
		app, hidden = "Origin: https://app.example.com", "(not shown)"
		wants       = "Access-Control-Request-Method: POST"
		asked       = "Access-Control-Request-Headers: "
	)
	tests := []struct {
		name    string
		headers []string
		origin  string // in the line; no line if it is empty
	}{
		{"an allowed origin", []string{app, asked + "authorization,content-type, Sentry-Trace"}, ""},
		{"no origin", nil, ""},
		{"the gateway's own page", []string{"Origin: http://gateway.example.com"}, ""},
		{"the gateway's own page behind a proxy", []string{"Origin: https://pix.example.com", "Sec-Fetch-Site: same-origin"}, ""},
		{"two origins", []string{app, "Origin: https://a.example.com"}, ""},
		{"another site", []string{"Origin: https://a.example.com", "Sec-Fetch-Site: same-site"}, "https://a.example.com"},
		{"another port", []string{"Origin: http://gateway.example.com:5173"}, "http://gateway.example.com:5173"},
		{"a development server", []string{"Origin: http://localhost:5173"}, "http://localhost:5173"},
		{"a loopback address", []string{"Origin: http://[::1]:5173"}, "http://[::1]:5173"},
		{"a private address", []string{"Origin: http://192.168.0.7"}, "http://192.168.0.7"},
		{"a file", []string{"Origin: null"}, "null"},
		{"a public address", []string{"Origin: https://200.147.3.12"}, hidden},
		{"a CPF", []string{"Origin: https://52998224725.example.com"}, hidden},
		{"a masked CPF", []string{"Origin: https://529.982.247-25"}, hidden},
		{"a user", []string{"Origin: https://ana@example.com"}, hidden},
		{"a UUID", []string{"Origin: https://f2dc7925-3b96-4b1f-a7ad-3351051ce9fc"}, hidden},
		{"a long name", []string{"Origin: https://" + strings.Repeat("a.", 80) + "example.com"}, hidden},
		{"a line break", []string{"Origin: https://a.example.com\nb"}, hidden},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			handler, lines := logged(t)
			ask(handler, http.MethodOptions, append(tt.headers, wants)...)
			const setting = "cors_origins"
			switch got := lines(); {
			case tt.origin == "" && len(got) > 0:
				t.Errorf("logged %+v", got)
			case tt.origin == "":
			case len(got) != 1 || got[0].Origin != tt.origin || got[0].Level != "WARN" || !strings.Contains(got[0].Msg, setting):
				t.Errorf("logged %+v, want %s, origin %s", got, setting, tt.origin)
			}
		})
	}
}

// TestLogIsBounded: a line is logged once a minute, and at most five lines, whatever is sent. Later lines report how
// many were omitted.
func TestLogIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler, lines := logged(t)
		flood := func(n int) {
			for i := range n {
				ask(handler, http.MethodGet, fmt.Sprintf("Origin: https://a%d.example.com", i))
				ask(handler, http.MethodGet, "Origin: https://a0.example.com")
			}
		}
		flood(1000)
		if got := lines(); len(got) != 5 || got[0].LinesOmitted != 0 || got[4].Origin != "https://a4.example.com" {
			t.Errorf("%d lines: %+v", len(got), got)
		}
		time.Sleep(time.Minute - time.Nanosecond)
		flood(1)
		if got := lines(); len(got) != 0 {
			t.Errorf("within a minute: %+v", got)
		}
		time.Sleep(time.Nanosecond)
		flood(2)
		if got := lines(); len(got) != 2 || got[0].LinesOmitted != 995 || got[1].LinesOmitted != 0 {
			t.Errorf("after a minute: %+v", got)
		}
	})
}
