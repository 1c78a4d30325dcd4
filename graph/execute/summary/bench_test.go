package summary_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"pixgraph/auth"
	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/client"
)

// BenchmarkSummary reads 10,000 deposits from an API that does nothing but write its pages: summed by status and origin, and by a
// client of net/http that only reads the bodies, with as many calls at the same time.
func BenchmarkSummary(b *testing.B) {
	box := gatewaytest.Start(b, records(10_000)) // the pages and the sums of its deposits
	core := gatewaytest.Client{T: b, URL: box.Box.CoreURL(), Token: box.Token}
	var pages [][]byte
	for n := 1; n <= 100; n++ {
		pages = append(pages, core.Get(fmt.Sprintf("/deposit?page=%d&perPage=100", n)).WantOK().Body)
	}
	all, _ := lists[0].sumsOf(b, box.Box.Ledger().Deposits(), "UTC")
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		_, _ = fmt.Sscan(r.URL.Query().Get("page"), &n)
		w.Header().Set("Content-Length", fmt.Sprint(len(pages[n-1])))
		_, _ = w.Write(pages[n-1])
	}))
	b.Cleanup(api.Close)
	g := gatewaytest.Start(b, func(o *options) {
		o.Auth.Mode = auth.ModeForward
		o.Upstream.CoreURL, o.Upstream.DispatcherURL = api.URL, api.URL
	})
	g.Token = "token"
	bare := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: client.DefaultOperationConcurrency}}
	b.Cleanup(bare.CloseIdleConnections)

	b.Run("summary", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r := g.Query(lists[0].document("(groupBy: [STATUS, ORIGIN])")).WantOK()
			wantPages(r, "depositSummary", len(pages), "")
			all.want(r, "amountPaid", "depositSummary")
		}
	})
	b.Run("bare client", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			numbers := make(chan int)
			var readers sync.WaitGroup
			for range client.DefaultOperationConcurrency {
				readers.Go(func() {
					for n := range numbers {
						readPage(b, bare, fmt.Sprintf("%s/deposit?page=%d&perPage=100", api.URL, n))
					}
				})
			}
			for n := range pages {
				numbers <- n + 1
			}
			close(numbers)
			readers.Wait()
		}
	})
}

func readPage(b *testing.B, bare *http.Client, url string) {
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
	if err != nil {
		b.Error(err)
		return
	}
	response, err := bare.Do(request)
	if err != nil {
		b.Error(err)
		return
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || len(body) == 0 {
		b.Error(len(body), err)
	}
}
