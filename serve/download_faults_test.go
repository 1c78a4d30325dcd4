package serve_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/graph/guard/limits"
	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
)

// TestDownloadFaults: a file that is not the whole list says why.
func TestDownloadFaults(t *testing.T) {
	replace := func(old, new string) func([]byte) []byte {
		return func(body []byte) []byte { return bytes.ReplaceAll(body, []byte(old), []byte(new)) }
	}
	tests := []struct {
		name    string
		fault   sandbox.Fault
		reason  string
		records int
		code    string // of the last error
		path    string
	}{
		{"a failing page", sandbox.Fault{After: 1, Status: 500}, "PAGE_FAILED", 100, "UPSTREAM_ERROR", "[deposits]"},
		{"a page with another number", sandbox.Fault{After: 2, Mutate: replace(`"currentPage":3`, `"currentPage":1`)}, "PAGING_UNKNOWN", 200,
			"PAGINATION_UNSUPPORTED", "[deposits]"},
		{"another total", sandbox.Fault{After: 1, Times: 1, Mutate: replace(`"total":240`, `"total":241`)}, "TOTAL_CHANGED", 240, "", ""},
		{"the same page again", sandbox.Fault{After: 1, Times: 1, Mutate: nil}, "RECORD_REPEATED", 240, "", ""},
		{"invalid records", sandbox.Fault{After: 1, Mutate: replace(`"acquirer":`, `"acquirer2":`)}, "RECORD_UNREADABLE", 240,
			"LIMIT_EXCEEDED", "[]"},
		{"a retried page", sandbox.Fault{After: 1, Times: 1, Status: 503}, "", 240, "", ""},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			g := start(t)
			if tt.reason == "RECORD_REPEATED" {
				first := []byte(g.depositIDs()[0])
				tt.fault.Mutate = func(body []byte) []byte { return bytes.Replace(body, []byte(g.depositIDs()[150]), first, 1) }
			}
			tt.fault.Service, tt.fault.Route = sandbox.Core, sandbox.RouteDeposit
			defer g.Box.Inject(tt.fault)()
			records, end := g.download("application/x-ndjson", `{ deposits { nodes { id acquirer } } }`).want(tt.reason).lines()
			if len(records) != tt.records || end.Records != tt.records || end.Complete != (tt.reason == "") || end.Reason != tt.reason {
				t.Errorf("%d records, %+v", len(records), end)
			}
			code, path := "", ""
			if n := len(end.Errors); n > 0 {
				code, path = end.Errors[n-1].Extensions["code"].(string), fmt.Sprint(end.Errors[n-1].Path)
			}
			if code != tt.code || path != tt.path {
				t.Errorf("%s at %s, want %s at %s", code, path, tt.code, tt.path)
			}
		})
	}
}

// TestDownloadCut: a client without trailers cannot take the first pages of a list for all of it. The connection of a
// CSV file breaks after what was read.
func TestDownloadCut(t *testing.T) {
	for name, fault := range map[string]sandbox.Fault{
		"PAGE_FAILED": {Status: 500},
		"PAGING_UNKNOWN": {Mutate: func(body []byte) []byte {
			return bytes.ReplaceAll(body, []byte(`"currentPage":2`), []byte(`"currentPage":1`))
		}},
	} {
		bubble(t, name, func(t *testing.T) {
			g := start(t)
			fault.Route, fault.Match = sandbox.RouteDeposit, func(r *http.Request) bool { return r.URL.Query().Get("page") == "2" }
			defer g.Box.Inject(fault)()
			resp := g.openDownload("text/csv", `{ deposits { nodes { id } } }`)
			body, err := io.ReadAll(resp.Body)
			if !errors.Is(err, io.ErrUnexpectedEOF) || bytes.Count(body, []byte("\r\n")) != 101 || len(resp.Trailer["X-Pixgraph-Complete"]) > 0 {
				t.Errorf("%v after %d lines, trailer %v", err, bytes.Count(body, []byte("\r\n")), resp.Trailer)
			}
			g.awaitLog(`"download":{"complete":false,"reason":"` + name + `","records":100,"pages":1,"clientLeft":false}`)
			said := g.download("text/csv; end=1; header=absent", `{ deposits { nodes { amount } } }`).want(name)
			if rows, end := said.lines(); len(rows) != 100 || end.Reason != name || end.Records != 100 || len(end.Errors) != 1 {
				t.Errorf("%d rows, %+v", len(rows), end)
			}
			g.awaitNoSlot()
			g.Query(`{ withdrawals { totalCount } }`).WantOK()
		})
	}
}

// TestDownloadFirstPageFails: a failure before the first record, or before any page of a sum, is a plain error with a
// status, not a file.
func TestDownloadFirstPageFails(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		defer g.Box.Inject(sandbox.Fault{Service: sandbox.Core, Route: sandbox.RouteDeposit, Status: 500})()
		for _, accept := range []string{"text/csv", "application/x-ndjson"} {
			for _, document := range []string{`{ deposits { nodes { id } } }`, `{ depositSummary { count } }`} {
				f := g.download(accept, document)
				if f.status != http.StatusBadGateway || !bytes.Contains(f.body, []byte(`"UPSTREAM_ERROR"`)) ||
					f.header.Get("Content-Type") != "application/graphql-response+json; charset=utf-8" || f.header.Get("Trailer") != "" {
					t.Errorf("%s, %s: %d %v %s", accept, document, f.status, f.header, f.body)
				}
			}
		}
		g.awaitNoSlot()
	})
}

// TestDownloadBreaks: a line break between the values of free-form JSON does not break a line.
func TestDownloadBreaks(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		defer g.replace(sandbox.RouteDeposit, `"statusHistory":\[{`, "\"statusHistory\":[\r\n {")()
		records, _ := g.download("application/jsonl", `{ deposits { nodes { id statusHistory { status } } } }`).want("").lines()
		if len(records) != 240 {
			t.Errorf("%d records", len(records))
		}
	})
}

// TestDownloadClientLeaves: when the client closes the connection, no further page is read.
func TestDownloadClientLeaves(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		gate := make(chan struct{})
		defer g.Box.Inject(sandbox.Fault{Service: sandbox.Core, Route: sandbox.RouteDeposit, After: 1, Gate: gate})()
		resp := g.openDownload("text/csv", `{ deposits(perPage: 10) { nodes { id } } }`)
		g.AwaitCalls(2)
		must(t, resp.Body.Close())
		g.awaitLog(`"clientLeft":true`)
		close(gate)
		g.WantCalls(2, g.Token)
		g.awaitNoSlot()
	})
}

// awaitLog returns the line with a text when it was logged.
func (g *gateway) awaitLog(text string) (line string) {
	g.T.Helper()
	g.await("a line with "+text, func() bool {
		for line = range strings.Lines(g.Log.String()) {
			if strings.Contains(line, text) {
				return true
			}
		}
		return false
	})
	return line
}

// TestDownloadSlowReader: a client that does not read stops the calls, and holds neither a slot nor a turn, nor more
// memory than its page.
func TestDownloadSlowReader(t *testing.T) {
	runWith(t, func(o *options) {
		o.Serve.MaxOperations, o.Serve.MaxMemory, o.Serve.OperationTimeout = 1, 64<<20, time.Hour
	}, func(t *testing.T, g *gateway) {
		g.Box.ResetCalls()
		big := strings.Repeat("x", 400<<10) // the page has more than the buffers of a connection hold
		defer g.replace(sandbox.RouteDeposit, `"acquirer":"`, `"acquirer":"`+big)()
		g.slowDownload("{ deposits(perPage: 10) { nodes { id acquirer } } }")
		g.awaitNoSlot()
		g.WantCalls(1, g.Token)
		if held, _ := g.Handler.Memory(); held < 10*int64(len(big)) || held > 40*int64(len(big)) {
			t.Errorf("%d bytes are held", held)
		}
		g.wantSoon(func() {
			g.Query(`{ withdrawals { totalCount } }`).WantOK() // the only slot is free
			g.download("application/x-ndjson", `{ withdrawals { nodes { id } } }`).want("")
		})
	})
}

// wantSoon fails the test if a function waits until a deadline.
func (g *gateway) wantSoon(f func()) {
	g.T.Helper()
	began := time.Now()
	if f(); time.Since(began) > time.Second {
		g.T.Errorf("it takes %s", time.Since(began))
	}
}

// TestDownloadSlowReaders: nor do clients hold turns whose pages are so small that only a flush writes them.
func TestDownloadSlowReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, func(o *options) { o.Serve.OperationTimeout = time.Hour })
		defer g.replace(sandbox.RouteDeposit, `"acquirer":"`, `"acquirer":"`+strings.Repeat("x", 1000))()
		g.Box.ResetCalls()
		for range runtime.GOMAXPROCS(0) {
			g.slowDownload("{ deposits(perPage: 1) { nodes { id acquirer } } }")
		}
		g.AwaitCalls(40) // equal calls are made once, and the buffers of a connection are full after 62
		synctest.Wait()  // until they are full
		g.wantSoon(func() { g.download("application/x-ndjson", `{ withdrawals { nodes { id } } }`).want("") })
	})
}

// slowDownload begins a download as CSV, of which its client reads the status only.
func (g *gateway) slowDownload(document string) {
	g.T.Helper()
	status, err := bufio.NewReaderSize(g.write("1.1", "text/csv", document), 16).ReadString('\n')
	if err != nil || !strings.Contains(status, "200") {
		g.T.Fatal(status, err)
	}
}

// TestDownloadWithoutTrailer: a client that does not accept trailers gets none, and no promise of one. The last line of
// a CSV file has the same, if it asks for it.
func TestDownloadWithoutTrailer(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		const document = `{ deposits { nodes { amount } } }`
		for te, want := range map[string]bool{"": false, "gzip": false, "trailers;q=0": false, "deflate;q=0.5, Trailers": true} {
			f := readFile(t, g.Open(http.Header{"Accept": {"text/csv"}, "Te": {te}}, document))
			if len(f.trailer) > 0 != want || len(f.rows()) != 241 {
				t.Errorf("TE: %s: the trailer %v after %d rows", te, f.trailer, len(f.rows()))
			}
		}
		f := readFile(t, g.Open(http.Header{"Accept": {"text/csv; end=1; header=absent"}}, document))
		if _, end := f.lines(); len(f.trailer) > 0 || !end.Complete || end.Records != 240 ||
			f.header.Get("Content-Type") != "text/csv; charset=utf-8; header=absent; end=1" {
			t.Errorf("%+v, header %v, trailer %v", end, f.header, f.trailer)
		}
	})
}

// TestDownloadOverHTTP10: a client without trailers gets files whose last line says whether they are complete, and no
// other CSV.
func TestDownloadOverHTTP10(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		for accept, want := range map[string]string{"text/csv": "HTTP/1.0 406", "text/csv; end=1": "HTTP/1.0 200", "application/x-ndjson": "HTTP/1.0 200"} {
			answer, err := io.ReadAll(g.write("1.0", accept, "{ deposits { nodes { id } } }"))
			must(t, err)
			if !bytes.HasPrefix(answer, []byte(want)) ||
				strings.HasSuffix(want, "200") && !bytes.HasSuffix(answer, []byte("\"records\":240,\"pages\":3,\"total\":240}}\n")) {
				t.Errorf("%s: %.100s", accept, answer)
			}
		}
	})
}

// TestDownloadPays: each page pays from the half of the bucket that is for work in the background, and waits for it.
func TestDownloadPays(t *testing.T) {
	runWith(t, func(o *options) {
		o.Serve.Limits.Rate.PerIdentity = limits.Rate{PerSecond: 1000, Burst: 4}
	}, func(t *testing.T, g *gateway) {
		if _, end := g.download("application/x-ndjson", `{ deposits(perPage: 10) { nodes { id } } }`).want("").lines(); end.Pages != 24 {
			t.Errorf("%+v", end)
		}
		poor := start(t, func(o *options) {
			o.Serve.Limits.Rate.PerIdentity = limits.Rate{PerSecond: 0.001, Burst: 4}
		})
		_, end := poor.download("application/x-ndjson", `{ deposits(perPage: 10) { nodes { id } } }`).want("PAGE_FAILED").lines()
		if end.Pages != 3 || len(end.Errors) != 1 || end.Errors[0].Extensions["code"] != "RATE_LIMITED" { // 4 tokens: 3 pages leave one
			t.Errorf("%+v", end)
		}
		poor.WantCalls(3, poor.Token)
	})
}

// TestDownloadHolds: what a download remembers between two pages counts as memory of its caller: ids, and errors.
func TestDownloadHolds(t *testing.T) {
	runWith(t, func(o *options) {
		o.Serve.Limits.Rate.PerIdentity, o.Serve.MaxMemory = limits.Rate{PerSecond: 0.05, Burst: 4}, 64<<20
	}, func(t *testing.T, g *gateway) {
		defer g.replace(sandbox.RouteDeposit, `"acquirer":`, `"acquirer2":`)()
		resp := g.openDownload("application/x-ndjson", `{ deposits(perPage: 10) { nodes { id acquirer } } }`)
		g.AwaitCalls(3) // the fourth page waits for the rate limit, longer than this test
		g.await("the memory of ids and 30 errors, without that of a page", func() bool {
			held, _ := g.Handler.Memory()
			return held >= (48+30)<<10 && held < (48+30+32)<<10
		})
		must(t, resp.Body.Close())
		g.awaitNoMemory()
	})
}

// TestDownloadEndsWithGateway: a gateway that shuts down ends a download, which says that it is incomplete.
func TestDownloadEndsWithGateway(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		gate := make(chan struct{})
		defer close(gate)
		defer g.Box.Inject(sandbox.Fault{Service: sandbox.Core, Route: sandbox.RouteDeposit, After: 1, Gate: gate})()
		resp := g.openDownload("application/x-ndjson", `{ deposits { nodes { id } } }`)
		g.AwaitCalls(2)
		g.Handler.EndDownloads()
		if records, end := readFile(t, resp).want("PAGE_FAILED").lines(); len(records) != 100 || end.Records != 100 {
			t.Errorf("%d records, %+v", len(records), end)
		}
	})
}

// TestDownloadLog: a download is one line of the log, with all of its calls and without data.
func TestDownloadLog(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		g.download("text/csv", `query Report { deposits { nodes { id } } }`).want("")
		line := g.awaitLog(`"download":{"complete":true,"reason":"","records":240,"pages":3,"clientLeft":false}`)
		if !strings.Contains(line, `"calls":3`) || !strings.Contains(line, `"name":"Report"`) || strings.Count(g.Log.String(), `"msg":"operation"`) != 1 {
			t.Errorf("%s", g.Log.String())
		}
	})
}

// TestDownloadTokenExpires: no page is read with a token that has expired, although the leeway of authentication
// accepts it.
func TestDownloadTokenExpires(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		g.Token = g.Box.Issuer().Mint(issuer.Grant{TTL: -time.Second})
		page := []byte(`{"total":2,"totalPages":2,"currentPage":1,"perPage":1,"data":[{"id":"x"}]}`) // of an API whose clock is behind
		defer g.Box.Inject(sandbox.Fault{Service: sandbox.Core, Route: sandbox.RouteDeposit, Body: page})()
		records, end := g.download("application/x-ndjson", `{ deposits { nodes { id } } }`).want("PAGE_FAILED").lines()
		if len(records) != 1 || len(end.Errors) != 1 || end.Errors[0].Extensions["code"] != "UNAUTHENTICATED" {
			t.Errorf("%d records, %+v", len(records), end)
		}
		g.WantCalls(1, g.Token)
	})
}

// TestDownloadPlans: the pages of all downloads with a document share one plan.
func TestDownloadPlans(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		const document = `query($page: Int) { ...Q } fragment Q on Query { deposits(page: $page, perPage: 10) { nodes { id } } }`
		g.download("text/csv", document).want("")
		bytes := g.Handler.Stats().DocumentBytes
		g.download("application/x-ndjson", document, variables{"page": 20}).want("")
		if now := g.Handler.Stats().DocumentBytes; now != bytes {
			t.Errorf("%d bytes of documents, %d before", now, bytes)
		}
	})
}

// TestDownloadIsolation: two callers at the same time get their own pages, each read with their own token.
func TestDownloadIsolation(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		tokens := []string{g.Box.Issuer().Mint(issuer.Grant{Subject: "one"}), g.Box.Issuer().Mint(issuer.Grant{Subject: "two"})}
		gate := make(chan struct{})
		defer g.Box.Inject(sandbox.Fault{Service: sandbox.Core, Route: sandbox.RouteDeposit, Gate: gate})()
		responses := make(chan *http.Response, len(tokens))
		for _, token := range tokens {
			caller := g.within(t)
			caller.Token = token
			go func() {
				responses <- caller.openDownload("text/csv", `{ deposits(page: 2, perPage: 80) { nodes { id } } }`)
			}()
		}
		g.AwaitCalls(2)
		close(gate)
		for range tokens {
			if f := readFile(t, <-responses).want(""); len(f.rows()) != 1+160 {
				t.Errorf("%d rows", len(f.rows()))
			}
		}
		read := map[string]int{}
		for _, call := range g.Box.Calls() {
			read[call.Header.Get("Authorization")]++
		}
		if len(read) != 2 || read["Bearer "+tokens[0]] != 2 || read["Bearer "+tokens[1]] != 2 {
			t.Errorf("%v", read)
		}
	})
}
