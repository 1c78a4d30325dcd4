package summary

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph/execute/paging"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// A page that is fetched is held until those before it are added. So the pages that are fetched at the same time are as
// many as the calls of an operation, and fewer if they are large: pages of 100 deposits have 440 KB. With buffers and
// indexes, they take 22 MiB at most, which package client charges to the request. The calls of several callers take
// turns there.
const (
	ahead      = client.DefaultOperationConcurrency
	aheadBytes = 8 << 20
)

// windowOf returns how many pages are fetched at the same time, if they are as large as this one.
func windowOf[T paging.Record](page *upstream.Page[T]) int {
	size := 1
	for _, record := range page.Records {
		size += len(record.Bytes())
	}
	return max(1, min(ahead, aheadBytes/size))
}

// fetchBytes is the memory of a fetch: a goroutine, its stack, contexts.
const fetchBytes = 6 << 10

// reading is the state of a summary while its pages are read.
type reading[T paging.Record] struct {
	Summary
	kind[T]
	session *client.Session
	fetch   func(context.Context, *client.Session, client.PageRequest) (*upstream.Page[T], error)
	size    int // of a page, as requested; 0 for the API's own
	groupBy []Grouping
	days    days
	groups  map[key]*Group

	amounts amounts // of the current record
	covered paging.Coverage
	pages   int64 // of the list, by the counts of its first page; 0 if they do not agree
	seen    int64 // records of the pages so far
	more    bool  // whether the list has a page after these
}

// read reads the pages of a list and sums them. It fails if the arguments are invalid or if the first page cannot be
// read. If a later page cannot be read, it sums those before, and adds the error to those of the response.
func read[T paging.Record, F paging.Filter](
	ctx context.Context, session *client.Session, filter F, arguments Arguments, of kind[T],
	fetch func(*client.Session, context.Context, F, client.PageRequest) (*upstream.Page[T], error),
) (*Summary, error) {
	days, err := arguments.check()
	if err != nil {
		return nil, err
	}
	if err := paging.CheckFilter(filter); err != nil {
		return nil, err
	}
	if !selectsFees(ctx) {
		of.fee = nil
	}
	r := &reading[T]{
		kind: of, session: session, size: paging.MaxSize, groupBy: arguments.GroupBy, days: days, groups: map[key]*Group{},
		fetch: func(ctx context.Context, part *client.Session, page client.PageRequest) (*upstream.Page[T], error) {
			return fetch(part, ctx, filter, page)
		},
	}
	if err := r.run(ctx, int(arguments.MaxPages)); err != nil {
		return nil, err
	}
	if reason := r.covered.Incomplete(); reason != "" {
		r.Reason = &reason
	}
	r.none = r.Complete() && r.Count == 0
	summary := r.Summary
	summary.groups = r.sorted()
	return &summary, nil
}

// run reads the first page, then the others. If the counts of the first page agree, they tell which pages there are,
// and several are read at the same time. Otherwise each page tells whether there is another one.
func (r *reading[T]) run(ctx context.Context, limit int) error {
	first, limit := r.first(ctx, limit)
	last, window := limit, 1
	if first.page != nil {
		if r.pages = paging.Pages(first.page); r.pages > 0 {
			last, window = int(min(r.pages, int64(limit))), windowOf(first.page)
		}
	}
	if err := r.take(first); err != nil {
		return err
	}
	if err := r.rest(ctx, last, window); err != nil {
		reason := paging.PageFailed
		if upstream.KindOf(err) == upstream.KindPagingNotSupported {
			reason = paging.PagingUnknown
		}
		r.covered.Note(reason)
		graphql.AddError(ctx, err)
	} else if r.more {
		r.covered.Note(paging.PageLimit)
	}
	return nil
}

// first fetches the first page, with the API's own size if the API does not accept another one, or if the name of that
// parameter is not configured. It returns how many pages may be read then.
func (r *reading[T]) first(ctx context.Context, limit int) (fetched[T], int) {
	f := <-r.start(ctx, 1)
	called, refused := paging.RefusesSize(f.err)
	if !refused || called && limit == 1 {
		return f, limit
	}
	if called {
		limit--
	}
	f.part.End()
	r.size = 0
	return <-r.start(ctx, 1), limit
}

// rest reads the pages from the second to the last one in their order. It ends all fetches before it returns.
func (r *reading[T]) rest(ctx context.Context, last, window int) error {
	ctx, stop := context.WithCancel(ctx)
	var waiting []<-chan fetched[T]
	defer func() {
		stop()
		for _, w := range waiting {
			(<-w).part.End()
		}
	}()
	for next := 2; r.more; {
		for ; next <= last && len(waiting) < window; next++ {
			waiting = append(waiting, r.start(ctx, next))
		}
		if len(waiting) == 0 {
			return nil
		}
		f := <-waiting[0]
		waiting = waiting[1:]
		if err := r.take(f); err != nil {
			return err
		}
	}
	return nil
}

// fetched is a page, or why it could not be fetched. part holds its memory.
type fetched[T paging.Record] struct {
	part     *client.Session
	page     *upstream.Page[T]
	err      error
	panicked any
}

// start starts to fetch a page.
func (r *reading[T]) start(ctx context.Context, number int) <-chan fetched[T] {
	done := make(chan fetched[T], 1)
	f := fetched[T]{part: r.session.Part()}
	if f.err = r.session.Account.Take(fetchBytes); f.err != nil {
		done <- f
		return done
	}
	go func() {
		defer func() {
			f.panicked = recover()
			r.session.Account.Return(fetchBytes)
			done <- f
		}()
		f.page, f.err = r.fetch(ctx, f.part, client.PageRequest{Number: number, Size: r.size, AnySize: true, Shallow: true})
	}()
	return done
}

// take adds a page and releases its memory. It continues the panic of a fetch.
func (r *reading[T]) take(f fetched[T]) error {
	if f.panicked != nil {
		f.part.Abandon()
		panic(f.panicked)
	}
	defer f.part.End()
	if f.err != nil {
		return f.err
	}
	return r.add(f.page)
}
