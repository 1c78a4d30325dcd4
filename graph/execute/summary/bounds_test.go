package summary_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/internal/quota"
	"pixgraph/sandbox"
	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/client"
)

// TestTooManyGroups: the statuses of an API are bounded in number, and no record is lost in the sums of all.
func TestTooManyGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pages, each = 11, 1000
		g := gatewaytest.Start(t, records(1))
		for n := 1; n <= pages; n++ {
			body := fmt.Appendf(nil, `{"total":%d,"totalPages":%d,"currentPage":%d,"perPage":%d,"data":[`, pages*each, pages, n, each)
			for i := range each {
				if i > 0 {
					body = append(body, ',')
				}
				body = fmt.Appendf(body, `{"id":"%d-%d","amount":1,"status":"S%d.%d"}`, n, i, n, i)
			}
			g.Box.Inject(sandbox.Fault{Match: page(n), Body: append(body, "]}"...)})
		}
		r := g.Query(`{ depositSummary(groupBy: [STATUS]) { count amount complete reason pagesRead groups { count } } }`).WantOK()
		wantPages(r, "depositSummary", pages, "GROUP_LIMIT")
		if r.Text("depositSummary", "amount") != strconv.Itoa(pages*each) || len(r.List("depositSummary", "groups")) != 10_000 {
			t.Errorf("%.200s", r.Body)
		}
	})
}

// TestMemory: a summary reads more than an operation may hold, and nothing is held afterwards.
func TestMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pages = 24
		g := gatewaytest.Start(t, records(1), func(o *options) {
			o.Serve.MaxMemory, o.Serve.Bytes = 48<<20, quota.Limits{Read: 10 << 20, Answer: 1 << 20}
		})
		long := strings.Repeat("x", 512<<10)
		for n := 1; n <= pages; n++ {
			body := fmt.Appendf(nil, `{"total":%d,"totalPages":%[1]d,"currentPage":%d,"perPage":1,"data":[{"id":"%[2]d","amount":%[2]d,"acquirer":%q}]}`,
				pages, n, long)
			g.Box.Inject(sandbox.Fault{Match: page(n), Body: body})
		}
		for _, l := range lists {
			r := g.Query(l.document("")).WantOK()
			wantPages(r, l.field, pages, "")
			if r.Text(l.field, "amount") != strconv.Itoa(pages*(pages+1)/2) {
				t.Errorf("%s", r.Body)
			}
		}
		if held := g.Handler.Stats().MemoryHeld; held != 0 {
			t.Errorf("%d bytes are held", held)
		}
	})
}

// TestClientLeaves: the calls of a summary end when its client leaves.
func TestClientLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const made = 1 + 2 + 4 + 8 + client.DefaultOperationConcurrency
		g := gatewaytest.Start(t, records(100*made))
		gate := make(chan struct{})
		defer close(gate)
		g.Box.Inject(sandbox.Fault{Gate: gate, Match: func(r *http.Request) bool {
			number, err := strconv.Atoi(r.URL.Query().Get("page"))
			return err == nil && number > made-client.DefaultOperationConcurrency
		}})
		ctx, leave := context.WithCancel(t.Context())
		body, err := json.Marshal(map[string]any{"query": lists[0].document("")})
		must(t, err)
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, g.URL+"/graphql", bytes.NewReader(body))
		must(t, err)
		request.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + g.Token}}
		failed := make(chan error)
		go func() {
			_, err := g.HTTP.Do(request)
			failed <- err
		}()
		g.AwaitCalls(made)
		leave()
		if err := <-failed; err == nil {
			t.Error("the request has a response")
		}
		time.Sleep(time.Second)              // a call that no client waits for may go on for a moment
		must(t, g.Box.AwaitEnded(ctx, made)) // which does not wait, since ctx has ended
		g.WantCalls(made, g.Token)
	})
}

// TestCost: a summary costs as many calls as it may make, before it makes one.
func TestCost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gatewaytest.Start(t, records(250))
		for _, tt := range []struct {
			document string
			cost     int
		}{
			{`{ depositSummary { count } }`, 100},
			{`{ depositSummary(maxPages: 3) { count } withdrawalSummary(maxPages: 1000) { count } }`, 1003},
			{`query($n: Int! = 7) { depositSummary(maxPages: $n) { count } }`, 7},
			{`query($n: Int) { depositSummary(maxPages: $n) { count } }`, 100},
		} {
			r := g.QueryWith(http.Header{"X-Pixgraph-Cost": {"1"}}, tt.document).WantOK()
			if want := fmt.Sprintf(`"cost":{"upstreamCalls":%d,`, tt.cost); !strings.Contains(string(r.Body), want) {
				t.Errorf("%s: %s", tt.document, r.Body)
			}
		}
		g.Box.ResetCalls()
		for _, n := range []int{1101, 1<<31 - 1} {
			failed := g.Query(`query($n: Int!) { depositSummary(maxPages: $n) { count } }`, gatewaytest.Variables{"n": n}).WantError("LIMIT_EXCEEDED")
			if want := "; a summary of any length is a file: request it with Accept: application/x-ndjson or text/csv"; !strings.HasSuffix(failed.Message, want) {
				t.Error(failed.Message)
			}
		}
		g.WantNoCalls()
	})
}
