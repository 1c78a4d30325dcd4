package serve_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/graph/execute/download"
	"pixgraph/graph/guard/limits"
	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
	"pixgraph/sandbox/ledger"
)

// progressOf separates the lines about the progress of a file from the others.
func progressOf(t testing.TB, f file) (progress []download.Progress, others file) {
	t.Helper()
	others = f
	others.body = nil
	for line := range strings.Lines(string(f.body)) {
		var of struct {
			Progress *download.Progress `json:"@progress"`
		}
		if err := json.Unmarshal([]byte(line), &of); err == nil && of.Progress != nil {
			progress = append(progress, *of.Progress)
		} else {
			others.body = append(others.body, line...)
		}
	}
	return progress, others
}

// memoryAt returns the bytes that requests hold when each of some pages is requested, and all that may be read before
// it was read.
func memoryAt(g *gateway, pages ...string) (held <-chan int64, stop func()) {
	arrived, gate, bytes := make(chan struct{}), make(chan struct{}), make(chan int64, len(pages))
	go func() {
		for range arrived {
			synctest.Wait()
			now, _ := g.Handler.Memory()
			bytes <- now
			gate <- struct{}{}
		}
	}()
	undo := g.Box.Inject(sandbox.Fault{Gate: gate, Match: func(r *http.Request) bool {
		at := slices.Contains(pages, r.URL.Query().Get("page"))
		if at {
			arrived <- struct{}{}
		}
		return at
	}})
	return bytes, func() { undo(); close(arrived) }
}

// TestDownloadLongSums: a summary of any length is exact to the cent: of a day of 12,000 deposits, and of a month of
// 14,000 (test/e2e has one of 70,000). Each page is read once, with the caller's token. Only ids are held for the
// pages.
func TestDownloadLongSums(t *testing.T) {
	const document = `query($from: DateTime, $to: DateTime) { depositSummary(filter: { startDate: $from, endDate: $to }, groupBy: [DAY, STATUS]) {
		count sum: amount complete pagesRead groups { day statusRaw count amount } } }`
	midnight := func(day int) time.Time { return time.Date(2026, 6, 30-day, 3, 0, 0, 0, time.UTC) } // of Brasília
	for _, tt := range []struct {
		name               string
		deposits, from, to int
	}{{"a day", 70_000, 3, 2}, {"a month", 14_000, 30, 0}} {
		bubble(t, tt.name, func(t *testing.T) {
			g := start(t, func(o *options) { o.Sandbox.Deposits, o.Serve.Limits.MaxCost = tt.deposits, 100 })
			from, to := midnight(tt.from), midnight(tt.to).Add(-time.Millisecond)
			want, amounts, all := map[string]int{}, map[string]*big.Int{}, new(big.Int)
			list := g.Box.Ledger().Select(ledger.Deposit, func(e *ledger.Entry) bool { return !e.CreatedAt.Before(from) && !e.CreatedAt.After(to) }, nil)
			for i := range list.Len() {
				e := list.At(i)
				key := e.CreatedAt.Add(-3*time.Hour).Format(time.DateOnly) + e.Status
				if want[key]++; amounts[key] == nil {
					amounts[key] = new(big.Int)
				}
				amounts[key].Add(amounts[key], big.NewInt(e.Amount))
				all.Add(all, big.NewInt(e.Amount))
			}
			if list.Len() < 12_000 {
				t.Fatalf("%d deposits", list.Len())
			}
			held, stop := memoryAt(g, "20", "120")
			defer stop()
			g.Box.ResetCalls()
			progress, f := progressOf(t, g.download("application/x-ndjson; progress=1", document, variables{"from": from, "to": to}).want(""))
			pages := (list.Len() + 99) / 100
			g.WantCalls(pages, g.Token)
			read := map[string]bool{}
			for _, call := range g.Calls() {
				read[call] = true
			}
			if len(read) != pages {
				t.Errorf("%d pages were read, want %d", len(read), pages)
			}
			var last struct {
				Download struct {
					end
					Summary struct {
						Count     int
						Sum       string
						Complete  bool
						PagesRead int
					}
				} `json:"@download"`
			}
			lines := strings.Split(strings.TrimSpace(string(f.body)), "\n")
			must(t, json.Unmarshal([]byte(lines[len(lines)-1]), &last))
			got := last.Download
			if s := got.Summary; !got.Complete || got.Pages != pages || s.Count != list.Len() || s.Sum != all.String() || !s.Complete || s.PagesRead != pages {
				t.Errorf("%+v, want %d with %s", got, list.Len(), all)
			}
			for _, line := range lines[:len(lines)-1] {
				var group struct {
					Day, StatusRaw, Amount string
					Count                  int
				}
				must(t, json.Unmarshal([]byte(line), &group))
				key := group.Day + group.StatusRaw
				if group.Count != want[key] || group.Amount != amounts[key].String() {
					t.Errorf("%+v, want %d with %s", group, want[key], amounts[key])
				}
				delete(want, key)
			}
			if len(want) > 0 {
				t.Errorf("%v are missing", want)
			}
			for i, p := range progress {
				if p.Of != int64(pages) || p.Total == nil || *p.Total != int64(list.Len()) || p.Records != p.Pages*100 || i > 0 && p.Pages <= progress[i-1].Pages {
					t.Errorf("%d: %+v", i, p)
				}
			}
			if len(progress) < pages/40 {
				t.Errorf("%d times of %d pages", len(progress), pages)
			}
			before, after := <-held, <-held
			if grown := after - before; before == 0 || grown > 100*(100+1)*20+1<<20 { // the ids of 100 pages
				t.Errorf("100 pages take %d bytes after %d", grown, before)
			}
			g.awaitNoSlot()
			g.wantNoMemory()
			g.Query(`{ depositSummary(maxPages: 101) { count } }`).WantError("LIMIT_EXCEEDED")
			_, end := g.download("application/x-ndjson", `{ depositSummary(maxPages: 101) { count } }`).want("PAGE_LIMIT").lines()
			if end.Pages != 101 {
				t.Errorf("%+v", end)
			}
		})
	}
}

// TestDownloadPatience: a page that fails is read again for a minute, so that a file and a sum survive an interruption
// of the API, and what they say is the same as without it.
func TestDownloadPatience(t *testing.T) {
	const list, sum = `{ deposits(perPage: 10) { nodes { id } } }`, `{ depositSummary(groupBy: [STATUS]) { groups { count amount } } }`
	late := func(r *http.Request) bool { p := r.URL.Query().Get("page"); return p != "" && p != "1" }
	for _, tt := range []struct {
		name    string
		fault   sandbox.Fault
		outage  time.Duration // for which the fault lasts
		within  time.Duration
		reason  string
		waiting string // the code
	}{
		{"reset for a moment", sandbox.Fault{Kind: sandbox.FaultReset}, 60 * time.Millisecond, 3 * time.Second, "", "UPSTREAM_UNAVAILABLE"},
		{"down for 50 seconds", sandbox.Fault{Status: 503}, 50 * time.Second, 62 * time.Second, "", "UPSTREAM_ERROR"},
		{"down", sandbox.Fault{Status: 500}, time.Hour, 70 * time.Second, "PAGE_FAILED", "UPSTREAM_ERROR"},
		{"too many requests", sandbox.Fault{Status: 429, Header: http.Header{"Retry-After": {"20"}}}, 19 * time.Second, 25 * time.Second, "", "RATE_LIMITED"},
		{"too many requests for long", sandbox.Fault{Status: 429, Header: http.Header{"Retry-After": {"90"}}}, time.Hour, time.Second, "PAGE_FAILED", ""},
		{"forbidden", sandbox.Fault{Status: 403}, time.Hour, time.Second, "PAGE_FAILED", ""},
	} {
		for what, document := range map[string]string{"a list": list, "a sum": sum} {
			bubble(t, tt.name+", "+what, func(t *testing.T) {
				g := start(t, func(o *options) { o.Upstream.Timeout = 10 * time.Second })
				_, want := progressOf(t, g.download("application/x-ndjson; progress=1", document).want(""))
				fault := tt.fault // the other document has it too
				fault.Service, fault.Route, fault.Match = sandbox.Core, sandbox.RouteDeposit, late
				end := g.Box.Inject(fault)
				began := time.Now()
				time.AfterFunc(tt.outage, end)
				progress, got := progressOf(t, g.download("application/x-ndjson; progress=1", document).want(tt.reason))
				if took := time.Since(began); took > tt.within || tt.reason == "" && took < tt.outage/2 {
					t.Errorf("it takes %s", took)
				}
				if tt.reason == "" && string(got.body) != string(want.body) {
					t.Errorf("%.300s, want %.300s", got.body, want.body)
				}
				waiting := ""
				for _, p := range progress {
					if p.Waiting != nil {
						waiting = cmp.Or(waiting, p.Waiting.Code)
						if p.Waiting.Service != "core" || p.Pages != 1 {
							t.Errorf("%+v %+v", p, p.Waiting)
						}
					}
				}
				if waiting != tt.waiting {
					t.Errorf("it waits because of %q, want %q", waiting, tt.waiting)
				}
				end()
				g.awaitNoSlot()
				g.wantNoMemory()
			})
		}
	}
}

// TestDownloadProgress: at the end of a file, as many pages were read as it has, whichever part of the list that is.
func TestDownloadProgress(t *testing.T) {
	for _, arguments := range []string{"perPage: 10", "page: 2, perPage: 7", "first: 3", `first: 5, after: "%s"`, `after: "%s"`} {
		bubble(t, arguments, func(t *testing.T) {
			g := start(t)
			cursor := g.Query(`{ deposits(first: 4) { pageInfo { endCursor } } }`).WantOK().Text("deposits", "pageInfo", "endCursor")
			arguments = strings.ReplaceAll(arguments, "%s", cursor)
			progress, f := progressOf(t, g.download("application/x-ndjson; progress=1", `{ deposits(`+arguments+`) { nodes { id } } }`).want(""))
			_, end := f.lines()
			if last := progress[len(progress)-1]; last.Pages != int64(end.Pages) || last.Of != last.Pages || last.Records != *last.Total {
				t.Errorf("%+v, want the %d pages of the file", last, end.Pages)
			}
		})
	}
}

// TestDownloadWaits: while a download waits for the API, it holds neither a slot nor a turn nor the memory of a page,
// and other callers are served. It ends at once with the gateway, with its client, and with its token.
func TestDownloadWaits(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(g *gateway, resp *http.Response)
		code string
	}{
		{"the gateway ends", func(g *gateway, _ *http.Response) { g.Handler.EndDownloads() }, "OVERLOADED"},
		{"the client leaves", func(g *gateway, resp *http.Response) { must(g.T, resp.Body.Close()) }, ""},
		{"the token expires", func(*gateway, *http.Response) {}, "UNAUTHENTICATED"},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			g := start(t, func(o *options) {
				o.Serve.MaxOperations, o.Serve.Limits.Rate.PerIdentity = 1, limits.Rate{PerSecond: 1, Burst: 100}
				o.Upstream.Breaker.Percent = 0
			})
			other := g.within(t)
			other.Token = g.Box.Issuer().Mint(issuer.Grant{Subject: "another"})
			g.Token = g.Box.Issuer().Mint(issuer.Grant{TTL: 20 * time.Second})
			defer g.Box.Inject(sandbox.Fault{Route: sandbox.RouteDeposit, After: 1, Status: 503})()
			began := time.Now()
			resp := g.openDownload("application/x-ndjson", `{ deposits(perPage: 10) { nodes { id } } }`)
			time.Sleep(5 * time.Second)
			g.awaitNoSlot()
			if held, _ := g.Handler.Memory(); held > 64<<10 {
				t.Errorf("%d bytes are held", held)
			}
			other.Query(`{ withdrawals { totalCount } }`).WantOK()
			if tt.end(g, resp); tt.code == "" {
				g.awaitLog(`"clientLeft":true`)
			} else if _, end := readFile(t, resp).want("PAGE_FAILED").lines(); fmt.Sprint(end.Errors[0].Extensions["code"]) != tt.code {
				t.Errorf("%+v", end)
			}
			if took := time.Since(began); took > 40*time.Second || tt.code != "UNAUTHENTICATED" && took > 6*time.Second {
				t.Errorf("it takes %s", took)
			}
		})
	}
}
