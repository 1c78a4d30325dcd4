package main

import (
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
)

// script is what the floor does for one path.
type script struct {
	Rounds [][]string // the URLs to call: those of a round at once, the rounds after each other
	Answer []byte     // what the gateway answered
}

// floor makes the calls that the gateway would, reads what they answer, and writes an answer of the gateway that was
// recorded: what remains of the work when there is no GraphQL.
type floor struct {
	transport *http.Transport
	steps     map[string]steps
	buffers   sync.Pool // of *[]byte, for the bodies of calls
}

// steps is a script made ready.
type steps struct {
	rounds [][]*url.URL
	answer []byte
	length []string // the header's Content-Length
}

// runFloor serves the scripts that it reads, by their paths.
func runFloor(ctx context.Context, _ []string, stdin io.Reader, stdout io.Writer) error {
	var scripts map[string]script
	if err := gob.NewDecoder(stdin).Decode(&scripts); err != nil {
		return fmt.Errorf("floor: %w", err)
	}
	f := &floor{transport: newTransport(), steps: make(map[string]steps, len(scripts))}
	f.buffers.New = func() any { return new([]byte) }
	for path, script := range scripts {
		ready := steps{answer: script.Answer, length: []string{strconv.Itoa(len(script.Answer))}}
		for _, round := range script.Rounds {
			var calls []*url.URL
			for _, text := range round {
				call, err := url.Parse(text)
				if err != nil {
					return fmt.Errorf("floor: %w", err)
				}
				calls = append(calls, call)
			}
			ready.rounds = append(ready.rounds, calls)
		}
		f.steps[path] = ready
	}
	return serveRole(ctx, stdin, stdout, serveHTTP(f))
}

// ServeHTTP follows the script of the request's path.
func (f *floor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	steps, ok := f.steps[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		http.Error(w, "the request could not be read", http.StatusBadRequest)
		return
	}
	for _, round := range steps.rounds {
		if err := f.callAll(r, round); err != nil {
			http.Error(w, "a call failed", http.StatusBadGateway)
			return
		}
	}
	header := w.Header()
	header["Content-Type"] = []string{"application/json; charset=utf-8"}
	header["Content-Length"] = steps.length
	_, _ = w.Write(steps.answer)
}

// callAll makes calls at once, the first of them on this goroutine.
func (f *floor) callAll(r *http.Request, targets []*url.URL) error {
	var calls sync.WaitGroup
	errs := make([]error, len(targets))
	for i, target := range targets[1:] {
		calls.Go(func() { errs[i+1] = f.call(r, target) })
	}
	errs[0] = f.call(r, targets[0])
	calls.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// call gets one record or page with the caller's bearer and reads it whole.
func (f *floor) call(r *http.Request, target *url.URL) error {
	req := (&http.Request{
		Method: http.MethodGet, URL: target, Host: target.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{
			"Authorization": r.Header["Authorization"], "Accept": {"application/json"}, "User-Agent": {"pixgraph"},
		},
	}).WithContext(r.Context())
	resp, err := f.transport.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || resp.ContentLength < 0 {
		return fmt.Errorf("status %d, length %d", resp.StatusCode, resp.ContentLength)
	}
	buffer := f.buffers.Get().(*[]byte)
	defer f.buffers.Put(buffer)
	if int64(cap(*buffer)) < resp.ContentLength {
		*buffer = make([]byte, resp.ContentLength)
	}
	_, err = io.ReadFull(resp.Body, (*buffer)[:resp.ContentLength])
	return err
}
