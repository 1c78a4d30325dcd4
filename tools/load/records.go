package main

import (
	"context"
	"encoding/json"
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
	Record string // the JSON of every record, with the placeholders idPlace and updatedPlace
	Count  int
	Tokens []string

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

func newRecords(_ context.Context, config *json.Decoder) (http.Handler, error) {
	r := &records{readers: map[string]int{}}
	if err := config.Decode(r); err != nil {
		return nil, err
	}
	r.updated = make([]atomic.Int64, r.Count+1)
	for i := range r.updated {
		r.updated[i].Store(time.Now().UnixMilli())
	}
	for i, token := range r.Tokens {
		r.readers["Bearer "+token] = recordOf(i, r.Count)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+coreBase+"/transaction/{id}", r.read)
	mux.HandleFunc("GET /change/{n}", r.change)
	mux.HandleFunc("GET /state", r.state)
	return mux, nil
}

// read answers with a record.
func (r *records) read(w http.ResponseWriter, req *http.Request) {
	n, known := r.readers[req.Header.Get("Authorization")]
	id := req.PathValue("id")
	switch {
	case !known:
		w.WriteHeader(http.StatusUnauthorized)
		return
	case id == recordID(r.Count): // for queries
		n = r.Count
	case id == recordID(n):
		r.reads.Add(1)
	default:
		w.WriteHeader(http.StatusForbidden)
		return
	}
	updated := time.UnixMilli(r.updated[n].Load()).UTC().Format(milliseconds)
	body := strings.Replace(strings.Replace(r.Record, idPlace, id, 1), updatedPlace, updated, 1)
	w.Header()["Content-Type"] = []string{"application/json"}
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(body))}
	_, _ = w.Write([]byte(body))
}

// milliseconds is the format of times of the APIs (spec 2).
const milliseconds = "2006-01-02T15:04:05.000Z07:00"

// change changes a record now.
func (r *records) change(w http.ResponseWriter, req *http.Request) {
	n, err := strconv.Atoi(req.PathValue("n"))
	if err != nil || n < 0 || n >= r.Count {
		http.NotFound(w, req)
		return
	}
	r.updated[n].Store(time.Now().UnixMilli())
}

// recordsState is what records report of themselves.
type recordsState struct {
	Reads   int64
	Updated []int64 // of each record
}

func (r *records) state(w http.ResponseWriter, _ *http.Request) {
	s := recordsState{r.reads.Load(), make([]int64, r.Count)}
	for i := range s.Updated {
		s.Updated[i] = r.updated[i].Load()
	}
	_ = json.NewEncoder(w).Encode(s)
}
