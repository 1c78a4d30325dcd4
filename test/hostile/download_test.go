package hostile

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"pixgraph/sandbox"
)

// The pages of a download during a rolling update. No other operation has pages of this size.
const downloadPages, downloadPerPage, downloadRecords = 10, "5", 50

// slowPages makes downloads take as long as the flag says.
func slowPages(box *sandbox.Sandbox) {
	box.Inject(sandbox.Fault{
		Route: sandbox.RouteDeposit, Latency: *rollingDownload / downloadPages,
		Match: func(r *http.Request) bool { return r.URL.Query().Get("perPage") == downloadPerPage },
	})
}

// startDownload downloads all deposits, and sends what is wrong with the file at its end; "" for nothing.
func startDownload(t *testing.T, p *balancer, token string) <-chan string {
	body := asked("query Slow { deposits(perPage: " + downloadPerPage + ") { nodes { id amount } } }")
	req := newRequest(t.Context(), p.url(), token, io.NopCloser(strings.NewReader(body)), int64(len(body)))
	req.Header.Set("Accept", "application/x-ndjson")
	ended := make(chan string, 1)
	go func() {
		resp, err := p.transport.RoundTrip(req)
		if err != nil {
			ended <- err.Error()
			return
		}
		defer resp.Body.Close()
		records, last := 0, ""
		lines := bufio.NewScanner(resp.Body)
		for ; lines.Scan(); records++ {
			last = lines.Text()
		}
		if records--; lines.Err() != nil || records != downloadRecords || !strings.HasPrefix(last, `{"@download":{"complete":true,`) {
			ended <- fmt.Sprintf("status %d, %d records, %s, %v", resp.StatusCode, records, last, lines.Err())
			return
		}
		ended <- ""
	}()
	return ended
}
