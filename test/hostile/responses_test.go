package hostile

import (
	"net/http"
	"strings"
	"testing"

	"pixgraph/sandbox"
)

// injectLargeRecords makes the core API send a transaction with 1 MiB of metadata, and pages of deposits with QR codes
// of 10 KiB.
func injectLargeRecords(t *testing.T, g *gateway) {
	t.Helper()
	transaction := g.placeholders.Replace(`{"id":"<transaction>","metadata":"`) + strings.Repeat("m", 1<<20) + `"}`
	deposit := `{"pixResponse":{"qrCodeBase64":"` + strings.Repeat("q", 10<<10) + `"}}`
	page := `{"total":100,"totalPages":1,"currentPage":1,"perPage":100,"data":[` + strings.Repeat(deposit+",", 99) + deposit + `]}`
	t.Cleanup(g.box.Inject(sandbox.Fault{Route: sandbox.RouteTransaction, Body: []byte(transaction)}))
	t.Cleanup(g.box.Inject(sandbox.Fault{
		Route: sandbox.RouteDeposit, Body: []byte(page), Match: func(r *http.Request) bool { return r.URL.Query().Get("perPage") == "100" },
	}))
}

// longResponses has 64 concurrent clients request long responses with 2 KB each. Responses above the limit are refused,
// and of the others as many are written as memory allows. Clients may read them slowly: requests of other callers
// succeed in the meantime.
func longResponses(t *testing.T, g *gateway) {
	injectLargeRecords(t, g)
	const clients = 64
	const gzip = "Accept-Encoding: gzip\r\n"
	metadata := func(n int) string {
		return asked(`{ transaction(id: "<transaction>") {` + aliases(n, "metadata") + ` } }`)
	}
	codes := func(n int) string {
		return asked(`{ deposits(perPage: 100) { nodes { pixResponse {` + aliases(n, "qrCodeBase64") + ` } } } }`)
	}
	const refusal = `"limit":"answerBytes"`
	for _, body := range []string{metadata(97), codes(97)} {
		g.wantRow(t, row{
			send: post(body), status: http.StatusOK, code: limit, limit: "answerBytes", partial: true, calls: true, has: []string{refusal},
		})
	}
	for _, tt := range []struct {
		name, body, lines string
		callers           int
		slow              bool
	}{
		{"metadata above the limit, one caller", metadata(97), "", 1, false},
		{"codes above the limit, three callers", codes(97), gzip, 3, false},
		{"metadata, one caller", metadata(14), "", 1, true},
		{"codes, one caller", codes(14), gzip, 1, false},
		{"metadata, three callers", metadata(14), "", 3, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g.wantPeak(t, peakBound, func() { g.wantSomeSucceed(t, clients, g.callers(tt.callers), tt.body, tt.lines, tt.slow) })
		})
	}
}

// wantSomeSucceed has clients send a body at the same time. Slow ones read their responses only after all have one.
// Each is answered or rejected, at least one is answered, and so is each request of another caller.
func (g *gateway) wantSomeSucceed(t *testing.T, clients int, tokens []string, body, lines string, slow bool) {
	t.Helper()
	var hold chan struct{}
	if slow {
		hold = make(chan struct{})
	}
	c := g.startClients(clients, tokens, body, lines, hold)
	g.wantServing(t, c.begun)
	if slow {
		close(hold)
	}
	if statuses := c.wantStatuses(t, http.StatusOK, http.StatusServiceUnavailable); statuses[http.StatusOK] == 0 {
		t.Errorf("statuses %v: no request succeeded", statuses)
	}
}
