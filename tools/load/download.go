package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"pixgraph/internal/process"
	"pixgraph/sandbox"
)

// download measures downloads of a long list, and of its sums, next to queries for the same pages: processor time for
// each record, and memory above that of the idle gateway. It fails if a file is not complete, or if it takes more
// memory than queries.
type download struct {
	*tool
	records int
}

func newDownload(t *tool, flags *flag.FlagSet) func(context.Context) error {
	d := &download{tool: t}
	flags.IntVar(&d.records, "records", 1_000_000, "records of the list")
	return d.run
}

// moreThanQueries is how much more memory a download may take than queries for the same pages, in bytes. Most of either
// is garbage: the collector runs when the process has 88 MiB (internal/memory).
const moreThanQueries = 8 << 20

// pageSize is the size of the pages of lists.
const pageSize = 100

// narrow is Q2 of the benchmark, with all pages of the list with a number of records.
const narrow = `query Narrow($page: Int, $records: Cents) { deposits(page: $page, perPage: 100, filter: { maxAmount: $records }) {
	nodes { id amount status createdAt acquirer depositOrigin } } }`

// summed is the sums of the list.
const summed = `query Sums($records: Cents) { depositSummary(groupBy: [STATUS], filter: { maxAmount: $records }) {
	count amount amountPaid groups { statusRaw count amount amountPaid } } }`

// run starts the servers and makes the measurements one after the other.
func (d *download) run(ctx context.Context) error {
	box, err := d.startSandbox(sandbox.Config{Records: 5 * pageSize, MoveEvery: -1})
	if err != nil {
		return err
	}
	var list longList
	for _, e := range box.Ledger().Deposits()[:pageSize] {
		list = append(list, e.JSON())
	}
	base := "http://" + d.serve(list)
	gateway, err := d.startGateway(ctx, "gateway", d.binary, box, base, base,
		[]string{"--paging-page-param=page", "--paging-per-page-param=perPage", "--upstream-timeout=50s", "--operation-timeout=50s"})
	if err != nil {
		return err
	}
	return d.measure(ctx, gateway, token(box, "download"))
}

// The rounds of the comparison, and the records of each measurement in a round: the system counts processor time in
// steps of 10 ms.
const (
	downloadRounds = 5
	roundRecords   = 200_000
)

// measure compares the processor time of queries, of both formats and of sums over a list, in rounds, so that other
// work of the machine affects all of them. Then it reads the whole list in each way, for the memory.
func (d *download) measure(ctx context.Context, gateway *process.Process, token string) error {
	c := newConnection(0, gateway.Address)
	defer c.close()
	asks := func(query string, page, records int) operation {
		return operation{Query: query, Variables: map[string]any{"page": page, "records": records}}
	}
	queries := func(records int) error {
		for page := 1; (page-1)*pageSize < records; page++ {
			code, _, err := roundTrip(ctx, c, post("/graphql", token, asks(narrow, page, records)))
			if err == nil && code != ok {
				err = fmt.Errorf("page %d: %s", page, code)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	file := func(accept, query string) func(int) error {
		return func(records int) error {
			request := post("/graphql", token, asks(query, 1, records), "Accept: "+accept, "TE: trailers")
			trailer, err := read(ctx, gateway.Address, request)
			if err == nil && trailer.Get("X-Pixgraph-Complete") != "true" {
				err = fmt.Errorf("%s: the file is not complete: %v", accept, trailer)
			}
			return err
		}
	}
	ways := []struct {
		name string
		read func(records int) error
	}{
		{"queries", queries}, {"CSV", file("text/csv", narrow)}, {"NDJSON", file("application/x-ndjson", narrow)},
		{"sums", file("application/x-ndjson", summed)},
	}
	part := min(d.records, roundRecords)
	if err := queries(part); err != nil { // warms up
		return err
	}
	idle, err := gateway.Usage()
	if err != nil {
		return err
	}
	costs := make([][]float64, len(ways)) // microseconds for each record
	for round := range downloadRounds {
		d.logf("round %d of %d", round+1, downloadRounds)
		for i, way := range ways {
			before, noUsage := gateway.Usage()
			err := errors.Join(noUsage, way.read(part))
			after, noUsage := gateway.Usage()
			if err = errors.Join(err, noUsage); err != nil {
				return err
			}
			costs[i] = append(costs[i], float64((after.CPU-before.CPU).Microseconds())/float64(part))
		}
	}
	var rows [][]string
	var limit int64
	for i, way := range ways {
		d.logf("%s for %d records", way.name, d.records)
		began := time.Now()
		if err := errors.Join(gateway.ResetPeak(), way.read(d.records)); err != nil {
			return err
		}
		elapsed := time.Since(began)
		after, err := gateway.Usage()
		if err != nil {
			return err
		}
		cost := median(costs[i])
		if i == 0 {
			limit = after.Peak + moreThanQueries
		}
		if after.Peak > limit {
			return fmt.Errorf("%s: %s in memory, more than %s", way.name, mebibytes(after.Peak), mebibytes(limit))
		}
		rows = append(rows, []string{way.name, fmt.Sprintf("%.2f µs", cost), fmt.Sprintf("%.2f", cost/median(costs[0])),
			fmt.Sprintf("%.0f", float64(d.records)/elapsed.Seconds()), mebibytes(after.Peak - idle.RSS)})
	}
	_, err = io.WriteString(d.stdout, table([]string{"", "CPU of a record", "to queries", "records a second", "peak above " + mebibytes(idle.RSS)}, rows))
	return err
}

// read reads the response to a request to its end, and returns its trailer.
func read(ctx context.Context, address string, request []byte) (http.Header, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp4", address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	body, trailer, err := send(conn, request)
	if err == nil {
		_, err = io.Copy(io.Discard, body)
	}
	return trailer, err
}

// longList is a stand-in for the core API with lists of any length, which maxAmount says: each page has the same
// records with other ids.
type longList [][]byte

// ServeHTTP serves a page of pageSize records.
func (l longList) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	number, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil {
		number = 1
	}
	records, err := strconv.Atoi(r.URL.Query().Get("maxAmount"))
	if err != nil {
		records = pageSize
	}
	pages := (records + pageSize - 1) / pageSize
	var out bytes.Buffer
	fmt.Fprintf(&out, `{"total":%d,"totalPages":%d,"currentPage":%d,"perPage":%d,"data":[`, records, pages, number, pageSize)
	for i := range min(pageSize, records-(number-1)*pageSize) {
		if i > 0 {
			out.WriteByte(',')
		}
		id := out.Len() + len(`{"id":"`)
		out.Write(l[i])
		copy(out.Bytes()[id:], fmt.Sprintf("%08x", number)) // the first of 36 characters
	}
	out.WriteString(`]}`)
	w.Header()["Content-Type"] = []string{"application/json; charset=utf-8"}
	w.Header()["Content-Length"] = []string{strconv.Itoa(out.Len())}
	_, _ = w.Write(out.Bytes())
}
