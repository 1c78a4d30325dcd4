package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// watchers are clients of streams.
type watchers struct {
	addresses []string // the streams take turns
	protocol  string   // sse, multipart or websocket
	tokens    []string // the streams take turns
	records   int

	mu       sync.Mutex
	received received
	failure  error          // the first of a stream
	running  sync.WaitGroup // of the streams
}

// received is what the streams received.
type received struct {
	reasons  map[string]int // events by reason
	newest   []int64        // the newest updatedAt that each stream received, in milliseconds; 0 before its first event
	change   durations      // from updatedAt of a changed record to its event
	delivery durations      // from observedAt to the event
}

// opening is the number of streams that begin at a time. More would measure a burst of tokens to be verified.
const opening = 32

// start starts streams, which run until the context ends.
func (w *watchers) start(ctx context.Context, streams int) {
	w.received = received{reasons: map[string]int{}, newest: make([]int64, streams)}
	w.running.Go(func() {
		places := make(chan struct{}, opening)
		for i := range streams {
			places <- struct{}{}
			w.running.Go(func() {
				err := w.watch(ctx, i, sync.OnceFunc(func() { <-places }))
				w.mu.Lock()
				defer w.mu.Unlock()
				if w.failure == nil {
					w.failure = fmt.Errorf("stream %d: %w", i, err)
				}
			})
		}
	})
}

// watch runs one stream, which is not expected to end. It calls begun after the first event, and at the end.
func (w *watchers) watch(ctx context.Context, i int, begun func()) error {
	defer begun()
	token := i % len(w.tokens)
	s, err := openStream(ctx, w.protocol, w.addresses[i%len(w.addresses)], w.tokens[token], operation{
		Query: document("live"), Variables: map[string]any{"id": recordID(recordOf(token, w.records))},
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
	w.received.reasons[reason]++
	w.received.newest[i] = updated.UnixMilli()
	if reason == "CHANGED" {
		w.received.change = append(w.received.change, now.Sub(updated))
		w.received.delivery = append(w.received.delivery, now.Sub(observed))
	}
	return nil
}

// member returns the text of the first member of a name, without parsing the rest, and "" if no member has the name.
func member(event []byte, name string) string {
	_, rest, _ := bytes.Cut(event, []byte(`"`+name+`":"`))
	text, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(text)
}

// forget forgets the durations until now.
func (w *watchers) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.received.change, w.received.delivery = nil, nil
}

// result returns what the streams received until now, with sorted durations.
func (w *watchers) result() received {
	w.mu.Lock()
	defer w.mu.Unlock()
	return received{
		reasons: maps.Clone(w.received.reasons),
		change:  slices.Sorted(slices.Values(w.received.change)), delivery: slices.Sorted(slices.Values(w.received.delivery)),
	}
}

// behind returns the number of streams that lack the newest version of their records, or the failure of one.
func (w *watchers) behind(r *records) (streams int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, newest := range w.received.newest {
		if newest < r.updated[recordOf(i%len(w.tokens), r.count)].Load() {
			streams++
		}
	}
	return streams, w.failure
}
