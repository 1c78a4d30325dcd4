package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// records is a stand-in for the core API with transactions that change on request. It answers from memory, so that
// thousands of reads a second take little processor time. The n-th token may read one record only: that of recordOf.
type records struct {
	record  string         // the JSON of every record, with the placeholders idPlace and updatedPlace
	count   int            // of records that are watched; one more is for queries
	readers map[string]int // the record that the bearer may read
	updated []atomic.Int64 // updatedAt of each record, in milliseconds
	reads   atomic.Int64   // of records that are watched
}

// What records replaces in a record.
const (
	idPlace      = "(id)"
	updatedPlace = "(updatedAt)"
)

// recordOf returns the record that a token may read, if there are count records.
func recordOf(token, count int) int { return token % count }

// recordID returns the id of a record.
func recordID(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

func newRecords(record string, count int, tokens []string) *records {
	r := &records{record: record, count: count, readers: map[string]int{}, updated: make([]atomic.Int64, count+1)}
	for i := range r.updated {
		r.change(i)
	}
	for i, token := range tokens {
		r.readers["Bearer "+token] = recordOf(i, count)
	}
	return r
}

// change changes a record now.
func (r *records) change(n int) { r.updated[n].Store(time.Now().UnixMilli()) }

// ServeHTTP answers with a record.
func (r *records) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	n, known := r.readers[req.Header.Get("Authorization")]
	id := strings.TrimPrefix(req.URL.Path, coreBase+"/transaction/")
	switch {
	case !known:
		w.WriteHeader(http.StatusUnauthorized)
		return
	case id == recordID(r.count): // for queries
		n = r.count
	case id == recordID(n):
		r.reads.Add(1)
	default:
		w.WriteHeader(http.StatusForbidden)
		return
	}
	updated := time.UnixMilli(r.updated[n].Load()).UTC().Format(milliseconds)
	body := strings.Replace(strings.Replace(r.record, idPlace, id, 1), updatedPlace, updated, 1)
	w.Header()["Content-Type"] = []string{"application/json"}
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(body))}
	_, _ = w.Write([]byte(body))
}

// milliseconds is the format of times of the APIs (spec 2).
const milliseconds = "2006-01-02T15:04:05.000Z07:00"
