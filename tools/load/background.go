package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"pixgraph/internal/process"
)

// background is clients that load a server while other clients are measured. They run in a separate process, so that
// their processor time does not delay the measured clients. The process serves their totals over HTTP.
type background struct {
	Address  string
	Clients  int
	Requests [][]byte
	Leave    time.Duration // after which a client closes its connection, without the response; 0 for never
	Backoff  bool          // whether a client waits after an error, for the retryAfterMs of the response, at least 100 ms

	load *load
}

// newBackground starts the clients of a configuration.
func newBackground(ctx context.Context, config *json.Decoder) (http.Handler, error) {
	b := &background{}
	err := config.Decode(b)
	b.load = newLoad(b.Address, b.Clients, b.exchange)
	go func() { _, _ = b.load.run(ctx, 1000*time.Hour) }() // ends with the context; the totals have the error
	return b, err
}

func (b *background) exchange(ctx context.Context, c *connection, n int) (string, time.Duration, error) {
	if b.Leave > 0 {
		leaving, cancel := context.WithTimeout(ctx, b.Leave)
		_, _, err := c.do(leaving, b.Requests[(c.id+n*b.Clients)%len(b.Requests)])
		cancel()
		c.close()
		if err != nil && ctx.Err() == nil {
			return "left", 0, nil
		}
		return ok, 0, err
	}
	code, retryAfter, err := roundTrip(ctx, c, b.Requests[(c.id+n*b.Clients)%len(b.Requests)])
	if b.Backoff && code != ok {
		return code, max(retryAfter, 100*time.Millisecond), err
	}
	return code, 0, err
}

// ServeHTTP writes the totals.
func (b *background) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	b.load.mu.Lock()
	defer b.load.mu.Unlock()
	_ = json.NewEncoder(w).Encode(b.load.current.totals)
}

// readTotals reads the totals of clients that run.
func readTotals(ctx context.Context, clients *process.Process) (t totals, err error) {
	if err = read(ctx, clients, "/", &t); t.Failure != "" {
		err = errors.New("background clients: " + t.Failure)
	}
	return t, err
}

// ok is the code of a response without errors.
const ok = "ok"

// roundTrip sends a request and returns codeOf of the response. A status other than 200 or 503 is an error.
func roundTrip(ctx context.Context, c *connection, request []byte) (code string, retryAfter time.Duration, err error) {
	status, body, err := c.do(ctx, request)
	if err == nil && status != http.StatusOK && status != http.StatusServiceUnavailable {
		err = fmt.Errorf("a response has the status %d", status)
	}
	code, retryAfter = codeOf(body)
	return code, retryAfter, err
}

// codeOf returns the code of the first error of a response, and its retryAfterMs.
func codeOf(body []byte) (code string, retryAfter time.Duration) {
	if !bytes.HasPrefix(body, []byte(`{"errors":`)) {
		return ok, 0
	}
	var refused struct {
		Errors [1]struct {
			Extensions struct {
				Code         string
				RetryAfterMs int
			}
		}
	}
	if json.Unmarshal(body, &refused) != nil || refused.Errors[0].Extensions.Code == "" {
		return "no code", 0
	}
	first := refused.Errors[0].Extensions
	return first.Code, time.Duration(first.RetryAfterMs) * time.Millisecond
}
