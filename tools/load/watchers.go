package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// watchers are clients of streams. They run in a separate process, so that their processor time does not delay the
// clients that are measured at the same time. The process serves what they received over HTTP.
type watchers struct {
	Addresses []string // the streams take turns
	Protocol  string   // sse, multipart or websocket
	Streams   int
	Tokens    []string // the streams take turns
	Count     int      // of records

	mu       sync.Mutex
	received received
	change   []time.Duration // from updatedAt of a changed record to its event
	delivery []time.Duration // from observedAt to the event
}

// received is what the streams received.
type received struct {
	Reasons          map[string]int // events by reason
	Newest           []int64        // the newest updatedAt that each stream received, in milliseconds; 0 before its first event
	Change, Delivery delays         // of changes since begin
	Failure          string         // the first error of a stream; "" for none
}

// delays are percentiles of durations.
type delays struct{ P50, P99, Max time.Duration }

func delaysOf(all []time.Duration) delays {
	if len(all) == 0 {
		return delays{}
	}
	slices.Sort(all)
	s := sample{latencies: all}
	return delays{s.percentile(50), s.percentile(99), s.percentile(100)}
}

// opening is the number of streams that begin at a time. More would measure a burst of tokens to be verified.
const opening = 32

// newWatchers starts the streams of a configuration.
func newWatchers(ctx context.Context, config *json.Decoder) (http.Handler, error) {
	w := &watchers{}
	if err := config.Decode(w); err != nil {
		return nil, err
	}
	w.received = received{Reasons: map[string]int{}, Newest: make([]int64, w.Streams)}
	go func() {
		places := make(chan struct{}, opening)
		for i := range w.Streams {
			places <- struct{}{}
			go func() {
				err := w.watch(ctx, i, sync.OnceFunc(func() { <-places }))
				w.mu.Lock()
				defer w.mu.Unlock()
				if w.received.Failure == "" {
					w.received.Failure = fmt.Sprintf("stream %d: %v", i, err)
				}
			}()
		}
	}()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /begin", w.begin)
	mux.HandleFunc("GET /received", w.report)
	return mux, nil
}

// watch runs one stream, which is not expected to end. It calls begun after the first event, and at the end.
func (w *watchers) watch(ctx context.Context, i int, begun func()) error {
	defer begun()
	token := i % len(w.Tokens)
	s, err := openStream(ctx, w.Protocol, w.Addresses[i%len(w.Addresses)], w.Tokens[token], operation{
		Query: document("live"), Variables: map[string]any{"id": recordID(recordOf(token, w.Count))},
	})
	if err != nil {
		return err
	}
	defer s.close()
	for {
		event, err := s.next()
		if err != nil {
			return err
		}
		if err := w.count(i, event); err != nil {
			return err
		}
		begun()
	}
}

// count counts an event.
func (w *watchers) count(i int, event []byte) error {
	now := time.Now()
	updated, notUpdated := time.Parse(time.RFC3339Nano, member(event, "updatedAt"))
	observed, notObserved := time.Parse(time.RFC3339Nano, member(event, "observedAt"))
	if err := errors.Join(notUpdated, notObserved); err != nil {
		return fmt.Errorf("%w in %.500q", err, event)
	}
	reason := member(event, "reason")
	w.mu.Lock()
	defer w.mu.Unlock()
	w.received.Reasons[reason]++
	w.received.Newest[i] = updated.UnixMilli()
	if reason == "CHANGED" {
		w.change = append(w.change, now.Sub(updated))
		w.delivery = append(w.delivery, now.Sub(observed))
	}
	return nil
}

// member returns the text of the first member of a name, without parsing the rest, and "" if no member has the name.
func member(event []byte, name string) string {
	_, rest, _ := bytes.Cut(event, []byte(`"`+name+`":"`))
	text, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(text)
}

// begin forgets the delays until now.
func (w *watchers) begin(http.ResponseWriter, *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.change, w.delivery = nil, nil
}

func (w *watchers) report(to http.ResponseWriter, _ *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.received
	r.Change, r.Delivery = delaysOf(w.change), delaysOf(w.delivery)
	_ = json.NewEncoder(to).Encode(r)
}
