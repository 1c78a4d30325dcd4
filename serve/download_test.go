package serve_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// file is a download.
type file struct {
	t       testing.TB
	status  int
	header  http.Header
	trailer http.Header
	body    []byte
}

// openDownload sends an operation, and returns the response before its body is read.
func (g *gateway) openDownload(accept, document string, vars ...variables) *http.Response {
	g.T.Helper()
	return g.OpenAs(g.Token, accept, document, vars...)
}

func readFile(t testing.TB, resp *http.Response) file {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	must(t, err)
	return file{t, resp.StatusCode, resp.Header, resp.Trailer, body}
}

func (g *gateway) download(accept, document string, vars ...variables) file {
	g.T.Helper()
	return readFile(g.T, g.openDownload(accept, document, vars...))
}

// want checks the trailer. The reason of a complete file is "".
func (f file) want(reason string) file {
	f.t.Helper()
	complete := fmt.Sprint(reason == "")
	if f.status != http.StatusOK || f.trailer.Get("X-Pixgraph-Complete") != complete || f.trailer.Get("X-Pixgraph-Reason") != reason {
		f.t.Fatalf("status %d, trailer %v, want the reason %q: %.500s", f.status, f.trailer, reason, f.body)
	}
	return f
}

// rows parses CSV, with the header.
func (f file) rows() [][]string {
	f.t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(f.body)).ReadAll()
	must(f.t, err)
	if bare := bytes.ReplaceAll(f.body, []byte("\r\n"), nil); bytes.ContainsAny(bare, "\r\n") {
		f.t.Error("a line does not end with CRLF")
	}
	return rows
}

// end is the last line of a file of JSON lines.
type end struct {
	Complete bool
	Reason   string
	Records  int
	Pages    int
	Errors   []struct {
		Path       []any
		Extensions map[string]any
	}
}

// lines returns the records and the end of a file of JSON lines.
func (f file) lines() (records []string, last end) {
	f.t.Helper()
	scanner := bufio.NewScanner(bytes.NewReader(f.body))
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		if !json.Valid(scanner.Bytes()) {
			f.t.Fatalf("no JSON: %.300s", scanner.Text())
		}
		records = append(records, scanner.Text())
	}
	if len(records) == 0 || !bytes.HasSuffix(f.body, []byte("\n")) {
		f.t.Fatalf("no last line: %.300s", f.body)
	}
	var parsed map[string]end
	must(f.t, json.Unmarshal([]byte(records[len(records)-1]), &parsed))
	last, ok := parsed["@download"]
	if !ok {
		f.t.Fatalf("the last line is %.300s", records[len(records)-1])
	}
	return records[:len(records)-1], last
}

// pagesOf returns the records of all pages of a list by queries, as they are in the responses.
func (g *gateway) pagesOf(document string, pages int) (records []string) {
	g.T.Helper()
	for page := 1; page <= pages; page++ {
		var got struct {
			Data map[string]struct{ Nodes []json.RawMessage }
		}
		must(g.T, json.Unmarshal(g.Query(document, variables{"page": page, "perPage": 100}).WantOK().Body, &got))
		for _, list := range got.Data {
			for _, node := range list.Nodes {
				records = append(records, string(node))
			}
		}
	}
	return records
}

const everyField = `{ nodes { key: id amount status createdAt payer { name tax: document } feeAmount
	statusHistory { status date durationInMilliseconds } timeline { source } endToEnd refundAmount __typename } totalCount }`

// TestDownloadLines: each line has the bytes of the record in the response of the query, and the last one says that
// they are all.
func TestDownloadLines(t *testing.T) {
	run(t, func(_ *testing.T, g *gateway) {
		for _, list := range []string{"deposits", "withdrawals"} {
			g.row(list, func(t testing.TB, g *gateway) {
				document := fmt.Sprintf("query($page: Int, $perPage: Int) { list: %s(page: $page, perPage: $perPage) %s }", list, everyField)
				want := g.pagesOf(document, 3)
				g.Box.ResetCalls()
				f := g.download("application/x-ndjson", document).want("")
				got, end := f.lines()
				if !slices.Equal(got, want) || len(got) != 240 {
					t.Fatalf("%d lines, %.300s, want %d, %.300s", len(got), got, len(want), want)
				}
				if !end.Complete || end.Reason != "" || end.Records != 240 || end.Pages != 3 || end.Errors != nil {
					t.Errorf("%+v", end)
				}
				path := "core /core/v1/" + strings.TrimSuffix(list, "s") + "?"
				if calls := g.Calls(); !slices.Equal(calls, []string{path + "perPage=100", path + "page=2&perPage=100", path + "page=3&perPage=100"}) {
					t.Errorf("%q", calls)
				}
				if got := f.header.Get("Incremental"); got != "?1" {
					t.Errorf("Incremental: %q", got)
				}
				if got := f.header.Get("Content-Disposition"); got != `attachment; filename="list.ndjson"` {
					t.Error(got)
				}
			})
		}
	})
}

// TestDownloadCSV: the cells are the values of the query, in the order of the selection, below the response paths.
func TestDownloadCSV(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		document := `query Report($page: Int, $perPage: Int) { deposits(page: $page, perPage: $perPage) ` + everyField + ` }`
		nodes := g.pagesOf(document, 3)
		rows := g.download("text/csv", document, variables{"perPage": 70}).want("").rows()
		header := []string{"key", "amount", "status", "createdAt", "payer.name", "payer.tax",
			"feeAmount", "statusHistory", "timeline", "endToEnd", "refundAmount", "__typename"}
		if !slices.Equal(rows[0], header) || len(rows) != 1+len(nodes) {
			t.Fatalf("%d rows, header %q", len(rows), rows[0])
		}
		for i, node := range nodes {
			var object map[string]json.RawMessage
			must(t, json.Unmarshal([]byte(node), &object))
			for c, name := range header {
				if got, want := rows[i+1][c], cellOf(t, object, strings.Split(name, ".")); got != want {
					t.Fatalf("row %d, %s: %q, want %q", i, name, got, want)
				}
			}
		}
	})
}

// cellOf returns the value at a path of a record as a cell has it.
func cellOf(t testing.TB, object map[string]json.RawMessage, path []string) string {
	t.Helper()
	value := object[path[0]]
	if string(value) == "null" {
		return ""
	}
	if len(path) > 1 {
		var inner map[string]json.RawMessage
		must(t, json.Unmarshal(value, &inner))
		return cellOf(t, inner, path[1:])
	}
	if value[0] != '"' {
		return string(value)
	}
	var text string
	must(t, json.Unmarshal(value, &text))
	if strings.ContainsAny(text[:min(1, len(text))], "=+-@\t\r\n") {
		text = "'" + text
	}
	return text
}

// TestDownloadSelections: fragments, variables, edges and conditions select what they select in a query.
func TestDownloadSelections(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		vars := variables{"yes": true, "no": false, "status": []string{"PAID"}}
		tests := []struct{ name, document, header string }{
			{"edges", `{ deposits { edges { cursor node { id } } pageInfo { hasNextPage } } }`, "id"},
			{"a fragment at the root", `{ ...Q } fragment Q on Query { ...R } fragment R on Query { deposits { nodes { id amount } } }`, "id,amount"},
			{"fragments of records", `{ deposits { ...C } } fragment C on DepositConnection { nodes { ...D payer { name } } }
				fragment D on Deposit { id payer { n: name } }`, "id,payer.n,payer.name"},
			{"a skipped root", `query($yes: Boolean!, $no: Boolean!) { withdrawals @skip(if: $yes) { nodes { id } } ... @include(if: $yes) {
				deposits { nodes { id amount @include(if: $no) status @skip(if: $no) } } } }`, "id,status"},
			{"the other root", `query($no: Boolean!) { withdrawals @skip(if: $no) { nodes { id } } deposits @include(if: $no) { nodes { id } } }`, "id"},
			{"merged fields", `{ deposits { nodes { id } } deposits { nodes { amount } ... { nodes { status } } } }`, "id,amount,status"},
			{"a filter", `query($status: [DepositStatus!]) { deposits(filter: { status: $status }, perPage: 3) { nodes { id } } }`, "id"},
		}
		for _, tt := range tests {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				rows := g.download("text/csv; header=present; bom=0", tt.document, vars).want("").rows()
				if got := strings.Join(rows[0], ","); got != tt.header || len(rows) < 10 {
					t.Errorf("%s, %d rows", got, len(rows))
				}
			})
		}
		rows := g.download("text/csv; bom=1; header=absent", `{ deposits(page: 2, perPage: 100) { nodes { id } } }`).want("")
		text, bom := strings.CutPrefix(string(rows.body), "\ufeff")
		if want := strings.Join(g.depositIDs()[100:], "\r\n") + "\r\n"; !bom || text != want || !strings.Contains(rows.header.Get("Content-Type"), "header=absent") {
			t.Errorf("%v %.300q", rows.header, rows.body)
		}
	})
}

// TestDownloadCursors: a list with first and after has as many records as first says, or all of them, from the cursor
// on.
func TestDownloadCursors(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		ids := g.depositIDs()
		var edges struct {
			Data struct {
				Deposits struct{ Edges []struct{ Cursor string } }
			}
		}
		document := `query($first: Int, $after: String) { deposits(first: $first, after: $after) { edges { cursor node { id } } } }`
		must(t, json.Unmarshal(g.Query(document, variables{"first": 100}).WantOK().Body, &edges))
		cursor := func(i int) string { return edges.Data.Deposits.Edges[i].Cursor }
		var last struct {
			Data struct {
				Deposits struct{ PageInfo struct{ EndCursor string } }
			}
		}
		must(t, json.Unmarshal(g.Query(`{ deposits(page: 3, perPage: 100) { pageInfo { endCursor } } }`).WantOK().Body, &last))
		for _, tt := range []struct {
			name    string
			vars    variables
			skip    int
			records int
			calls   int
		}{
			{"first", variables{"first": 10}, 0, 10, 1},
			{"after the first page", variables{"after": cursor(99)}, 100, 140, 2},
			{"after a page of another size", variables{"first": 50, "after": cursor(49)}, 50, 50, 1},
			{"within a page", variables{"first": 100, "after": cursor(42)}, 43, 100, 2},
			{"within a page, to the end", variables{"after": cursor(42)}, 43, 197, 4},
			{"after the last record", variables{"after": last.Data.Deposits.PageInfo.EndCursor}, 240, 0, 1},
		} {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				g.Box.ResetCalls()
				rows := g.download("text/csv; header=absent", document, tt.vars).want("").rows()
				got := make([]string, len(rows))
				for i, row := range rows {
					got[i] = row[0]
				}
				if !slices.Equal(got, ids[tt.skip:][:tt.records]) {
					t.Errorf("%d records, want %d", len(got), tt.records)
				}
				g.WantCalls(tt.calls, g.Token)
			})
		}
	})
}

// TestNoDownload: an operation that cannot be downloaded gets a JSON error with a status that says so, and makes no
// call.
func TestNoDownload(t *testing.T) {
	run(t, func(_ *testing.T, g *gateway) {
		tests := []struct {
			name, document, code string
			status               int
		}{
			{"a record", `{ transaction(id: "f2dc7925-3b96-4b1f-a7ad-3351051ce9fc") { id } }`, "BAD_REQUEST", 406},
			{"records by id", `{ transactions(ids: []) { id } }`, "BAD_REQUEST", 406},
			{"two lists", `{ deposits { nodes { id } } withdrawals { nodes { id } } }`, "BAD_REQUEST", 406},
			{"a list and a type name", `{ __typename deposits { nodes { id } } }`, "BAD_REQUEST", 406},
			{"a type name", `{ __typename }`, "BAD_REQUEST", 406},
			{"the schema", `{ __schema { types { name } } }`, "BAD_REQUEST", 406},
			{"no list", `query($no: Boolean = false) { deposits @include(if: $no) { nodes { id } } }`, "BAD_REQUEST", 406},
			{"no records", `{ deposits { totalCount } }`, "BAD_REQUEST", 406},
			{"records twice", `{ deposits { nodes { id } edges { node { id } } } }`, "BAD_REQUEST", 406},
			{"records with two aliases", `{ deposits { a: nodes { id } b: nodes { id } } }`, "BAD_REQUEST", 406},
			{"edges without records", `{ deposits { edges { cursor } } }`, "BAD_REQUEST", 406},
			{"a list, a record and a summary", `{ deposits { nodes { id } } transaction(id: "x") { id } depositSummary { count } }`, "BAD_REQUEST", 406},
			{"two lists and a summary", `{ deposits { nodes { id } } withdrawals { nodes { id } } depositSummary { count } }`, "BAD_REQUEST", 406},
			{"two summaries", `{ depositSummary { count } withdrawalSummary { count } }`, "BAD_REQUEST", 406},
			{"a summary and a type name", `{ depositSummary { count } __typename }`, "BAD_REQUEST", 406},
			{"groups with two aliases", `{ depositSummary { a: groups { day } b: groups { count } } }`, "BAD_REQUEST", 406},
			{"an invalid argument of a summary", `{ depositSummary(maxPages: 0) { count } }`, "BAD_USER_INPUT", 400},
			{"a broken cursor", `query($after: String = "x") { deposits(after: $after) { nodes { id } } }`, "BAD_USER_INPUT", 400},
			{"pages and cursors", `{ deposits(first: 10, page: 2) { nodes { id } } }`, "BAD_USER_INPUT", 400},
			{"an invalid page", `{ deposits(page: 0) { nodes { id } } }`, "BAD_USER_INPUT", 400},
			{"an invalid size", `{ deposits(perPage: 101) { nodes { id } } }`, "BAD_USER_INPUT", 400},
			{"an invalid document", `{ deposits { nodes { idd } } }`, "GRAPHQL_VALIDATION_FAILED", 400},
			{"a subscription", `subscription { deposits { nodes { id } } }`, "BAD_REQUEST", 400},
			{"a mutation", `mutation { deposits { nodes { id } } }`, "GRAPHQL_VALIDATION_FAILED", 400},
		}
		for _, accept := range []string{"text/csv", "application/jsonl, application/json;q=0.5"} {
			for _, tt := range tests {
				g.row(tt.name+", "+accept, func(t testing.TB, g *gateway) {
					f := g.download(accept, tt.document)
					var response struct {
						Errors []struct{ Extensions struct{ Code string } }
					}
					must(t, json.Unmarshal(f.body, &response))
					if f.status != tt.status || len(response.Errors) != 1 || response.Errors[0].Extensions.Code != tt.code || f.header.Get("Trailer") != "" {
						t.Errorf("status %d: %s", f.status, f.body)
					}
				})
			}
		}
		g.WantNoCalls()
	})
}

// TestDownloadPersisted: a registered document is downloaded by GET.
func TestDownloadPersisted(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		const document = `{ withdrawals(perPage: 100) { nodes { id } } }`
		get := func(values url.Values) file {
			req := g.request(http.MethodGet, "/graphql?"+values.Encode(), "")
			req.Header = http.Header{"Accept": {"application/ndjson"}, "Te": {"trailers"}, "Authorization": {"Bearer " + g.Token}}
			resp, err := g.HTTP.Do(req)
			must(t, err)
			defer resp.Body.Close()
			return readFile(t, resp)
		}
		extensions := fmt.Sprintf(`{"persistedQuery":{"version":1,"sha256Hash":"%x"}}`, sha256.Sum256([]byte(document)))
		if unknown := get(url.Values{"extensions": {extensions}}); unknown.status != http.StatusBadRequest {
			t.Errorf("an unknown document: %d", unknown.status)
		}
		get(url.Values{"query": {document}, "extensions": {extensions}}).want("")
		if records, end := get(url.Values{"extensions": {extensions}}).want("").lines(); len(records) != 240 || end.Pages != 3 {
			t.Errorf("%d records, %+v", len(records), end)
		}
	})
}

// TestDownloadNothing: a list without records, and a page after the last one, are complete files without rows.
func TestDownloadNothing(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		for _, arguments := range []string{`page: 9`, `filter: { startDate: "2099-01-01T00:00:00Z" }`} {
			document := `{ deposits(` + arguments + `) { nodes { id amount } } }`
			if got := string(g.download("text/csv", document).want("").body); got != "id,amount\r\n" {
				t.Errorf("%s: %q", arguments, got)
			}
			if records, end := g.download("application/x-ndjson", document).want("").lines(); len(records) != 0 || !end.Complete || end.Pages != 1 {
				t.Errorf("%s: %q %+v", arguments, records, end)
			}
		}
	})
}
