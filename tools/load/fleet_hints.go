package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	hintStreams = 300
	hintSecret  = "0123456789abcdef"
)

// hints measures how soon a stream at one replica shows a change whose webhook went to another one, and the reads of
// the APIs for it. The records are settled, so that polls are rare.
func (f *fleet) hints(ctx context.Context) error {
	if err := f.start(ctx, "--live-nudge-secret="+hintSecret); err != nil {
		return err
	}
	token, ids := f.token("watcher"), idsOf(f.box.Ledger().Transactions()[:hintStreams])
	var streams []*stream
	defer func() {
		for _, s := range streams {
			s.close()
		}
	}()
	for i, of := range ids {
		id, _ := of.(string)
		f.box.Ledger().SetStatus(id, "PAID")
		s, err := openStream(ctx, "sse", f.replicas[i%3].Address, token, operation{Query: document("live"), Variables: map[string]any{"id": id}})
		if err != nil {
			return err
		}
		streams = append(streams, s)
		if _, err := s.next(); err != nil {
			return err
		}
	}
	before, began := f.box.Counters().Core, time.Now()
	var times []time.Duration
	for i, of := range ids {
		id, _ := of.(string)
		f.box.Ledger().SetStatus(id, "REFUNDED")
		changed := time.Now()
		body := strings.NewReader(fmt.Sprintf(`{"transactionId":%q}`, id))
		resp, err := http.Post("http://"+f.replicas[(i+1)%3].Address+"/nudge/"+hintSecret, "application/json", body) //nolint:noctx // a webhook
		if err != nil {
			return err
		}
		_ = resp.Body.Close()
		for event := []byte(nil); member(event, "status") != "REFUNDED"; {
			if event, err = streams[i].next(); err != nil {
				return err
			}
		}
		times = append(times, time.Since(changed))
	}
	reads := float64(f.box.Counters().Core-before) / hintStreams
	slices.Sort(times)
	_, err := fmt.Fprintf(f.stdout, "A change whose webhook went to another replica is shown after %s (p50), %s (p99); %.2f reads a change, with the polls of %s (%d streams).\n\n",
		millis(times[hintStreams/2]), millis(times[hintStreams*99/100]), reads, time.Since(began).Round(time.Second), hintStreams)
	return err
}
