package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestClient: a connection is kept from one request to the next, and replaced after Connection: close or a failure.
func TestClient(t *testing.T) {
	gone := make(chan struct{})
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		switch r.URL.Path {
		case "/last":
			w.Header().Set("Connection", "close")
		case "/hang":
			close(gone)
			<-r.Context().Done()
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, r.RemoteAddr+" "+r.Header.Get("Authorization")+" "+r.Header.Get("X")+" "+string(body))
	})
	c := newConnection(0, address)
	defer c.close()
	send := func(ctx context.Context, target string) (connection, rest string, err error) {
		status, body, err := c.do(ctx, post(target, "token", operation{Query: "{a}"}, "X: y"))
		if err == nil && status != http.StatusServiceUnavailable {
			t.Errorf("%s: status %d", target, status)
		}
		connection, rest, _ = strings.Cut(string(body), " ")
		return connection, rest, err
	}
	first, rest, err := send(t.Context(), "/")
	if err != nil || rest != `Bearer token y {"query":"{a}"}` {
		t.Errorf("%q, %v", rest, err)
	}
	if last, _, err := send(t.Context(), "/last"); err != nil || last != first {
		t.Errorf("a connection was not kept: %v", err)
	}
	second, _, err := send(t.Context(), "/")
	if err != nil || second == first {
		t.Errorf("a connection was used after Connection: close: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-gone; cancel() }()
	if _, _, err := send(ctx, "/hang"); !errors.Is(err, context.Canceled) {
		t.Errorf("a request was abandoned: %v", err)
	}
	if third, _, err := send(t.Context(), "/"); err != nil || third == second {
		t.Errorf("a connection was used again after an abandoned request: %v", err)
	}
}

// TestRun: each client sends one request at least, a client in its own order, and outcomes are counted.
func TestRun(t *testing.T) {
	var mu sync.Mutex
	var last [3]int
	l := newLoad(len(last), func(_ context.Context, c *connection, n int) (string, time.Duration, error) {
		mu.Lock()
		defer mu.Unlock()
		last[c.id] = n
		return []string{ok, "refused"}[n%2], time.Nanosecond, nil
	}, "")
	s, err := l.run(t.Context(), 0)
	if err != nil || s.requests() != 3 || s.Outcomes[ok] != 3 || s.FirstOK.IsZero() || last != [3]int{} {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err = l.run(t.Context(), 10*time.Millisecond); err != nil || s.requests() != last[0]+last[1]+last[2]+3 || s.elapsed < 10*time.Millisecond {
		t.Errorf("%d requests, %v, %v", s.requests(), last, err)
	}
}

// TestRunFails: the error of one client ends the run of all.
func TestRunFails(t *testing.T) {
	failure := errors.New("it failed")
	var requests atomic.Int32
	l := newLoad(3, func(ctx context.Context, c *connection, _ int) (string, time.Duration, error) {
		requests.Add(1)
		if c.id == 1 {
			return "", 0, failure
		}
		<-ctx.Done()
		return "", 0, ctx.Err()
	}, "")
	if s, err := l.run(t.Context(), time.Hour); !errors.Is(err, failure) || s.Failure != failure.Error() || s.requests() != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestStatistics(t *testing.T) {
	for _, tt := range []struct {
		name   string
		values []float64
		want   float64
	}{
		{"none", nil, 0}, {"one", []float64{7}, 7}, {"odd", []float64{9, 1, 2}, 2}, {"even", []float64{4, 1, 2, 9}, 3},
	} {
		if got := median(tt.values); got != tt.want {
			t.Errorf("median of %s: %g, not %g", tt.name, got, tt.want)
		}
	}
	var d durations
	for i := range 100 {
		d = append(d, time.Duration(i))
	}
	for percent, want := range map[int]time.Duration{0: 0, 50: 50, 99: 99, 100: 99} {
		if got := d.percentile(percent); got != want {
			t.Errorf("%d %%: %d, not %d", percent, got, want)
		}
	}
}

// TestTable: columns are as wide as their widest cell, and cells count characters, not bytes.
func TestTable(t *testing.T) {
	const want = "" +
		"| name |  µs |\n" +
		"|  --- | ---: |\n" +
		"|   ≤ |   1 |\n" +
		"| long name | 22 |\n"
	squeeze := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	got := table([]string{"name", ">µs"}, [][]string{{"≤", "1"}, {"long name", "22"}})
	if squeeze(got) != squeeze(want) {
		t.Errorf("\n%s", got)
	}
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	for _, line := range lines {
		if len([]rune(line)) != len([]rune(lines[0])) {
			t.Errorf("columns are not aligned:\n%s", got)
		}
	}
}
