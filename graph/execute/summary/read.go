package summary

import (
	"cmp"
	"context"
	"math"
	"time"

	"pixgraph/graph/execute/paging"
	"pixgraph/internal/quota"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
	"pixgraph/upstream/wire"
)

// A page that is fetched is held until those before it are added. So the pages that are fetched at the same time are as
// many as the calls of an operation, and fewer if they are large: pages of 100 deposits have 440 KB. With buffers and
// indexes, they take 22 MiB at most, which package client charges to the request. The calls of several callers take
// turns there.
const (
	ahead      = client.DefaultOperationConcurrency
	aheadBytes = 8 << 20
)

// windowOf returns how many pages are fetched at the same time at most, if they are as large as this one.
func windowOf[T paging.Record](page *upstream.Page[T]) int {
	size := 1
	for _, record := range page.Records {
		size += len(record.Bytes())
	}
	return max(1, min(ahead, aheadBytes/size))
}

// reading is the state of a summary while its pages are read.
type reading[T paging.Record] struct {
	Summary
	session *client.Session // of the execution
	account *quota.Account  // of what remains of the pages
	fetch   func(context.Context, *client.Session, client.PageRequest) (*upstream.Page[T], error)
	limit   int // the most pages that are read
	size    int // of a page, as requested; 0 for the API's own
	most    int // pages that are fetched at the same time
	window  int // the same, as fast as the API is: see adapt
	fastest time.Duration
	groupBy []Grouping
	days    days
	groups  map[string]*Group
	slots   slots
	fees    bool // whether a sum is selected that needs them

	amounts amounts      // of the current record
	values  []wire.Value // of its members
	key     []byte       // of its group
	covered paging.Coverage
	pages   int64 // of the list, by the counts of its first page; 0 if they do not agree
	seen    int64 // records of the pages so far
	more    bool  // whether the list has a page after these
}

// Read reads the pages of a list and sums them, or some of them for a walk. It fails if the arguments are invalid or if
// the first page cannot be read.
func Read[T paging.Record, F paging.Filter](
	ctx context.Context, session *client.Session, filter F, arguments Arguments,
	fetch func(*client.Session, context.Context, F, client.PageRequest) (*upstream.Page[T], error),
) (*Summary, error) {
	walk := cmp.Or(arguments.Walk, operationWalk(session))
	r, begun := walk.reading.(*reading[T])
	if !begun {
		days, err := arguments.check()
		if err != nil {
			return nil, err
		}
		if err := paging.CheckFilter(filter); err != nil {
			return nil, err
		}
		r = &reading[T]{
			account: walk.Account, limit: int(arguments.MaxPages), size: paging.MaxSize, groupBy: arguments.GroupBy, days: days,
			groups: map[string]*Group{}, fees: selectsFees(ctx),
		}
		r.of = &upstream.ContractOf[T]().Sums
		r.slots = slotsOf(r.of, days.of)
		if walk.Whole {
			r.limit = math.MaxInt32
		}
		walk.reading = r
	}
	r.session = session
	r.fetch = func(ctx context.Context, part *client.Session, page client.PageRequest) (*upstream.Page[T], error) {
		return fetch(part, ctx, filter, page)
	}
	if err := r.advance(ctx, walk, arguments.Walk == nil); err != nil {
		return nil, err
	}
	if walk.Left > 0 {
		return &Summary{Sums: Sums{of: r.of}}, nil // which is not sent
	}
	if walk.Reason = r.covered.Incomplete(); walk.Reason != "" {
		r.Reason = &walk.Reason
	}
	r.none = r.Complete() && r.Count == 0
	summary := r.Summary
	summary.groups = r.sorted()
	return &summary, nil
}

// first fetches the first page, with the API's own size if the API does not accept another one, or if the name of that
// parameter is not configured. If the counts of the page agree, they tell which pages there are, and several are read
// at the same time. Otherwise each page tells whether there is another one.
func (r *reading[T]) first(ctx context.Context) fetched[T] {
	f := <-r.start(ctx, 1)
	if called, refused := paging.RefusesSize(f.err); refused && (!called || r.limit > 1) {
		if called {
			r.limit--
		}
		f.part.End()
		r.size = 0
		f = <-r.start(ctx, 1)
	}
	r.most, r.window, r.fastest = 1, 1, f.took
	if f.page != nil {
		if r.pages = paging.Pages(f.page); r.pages > 0 {
			r.most = windowOf(f.page)
			r.adapt(f.took)
		}
	}
	return f
}

// adapt doubles the number of pages that are fetched at the same time while the API does not take longer for each of
// them, and halves it otherwise: then they wait for each other there, and calls of other callers wait too.
func (r *reading[T]) adapt(took time.Duration) {
	r.fastest = min(r.fastest, took)
	if took <= 2*r.fastest {
		r.window = min(2*r.window, r.most)
	} else {
		r.window = max(r.window/2, 1)
	}
}

// rest reads the pages after those that were read, up to the last one, in their order. It ends all fetches before it
// returns.
func (r *reading[T]) rest(ctx context.Context, last int) error {
	ctx, stop := context.WithCancel(ctx)
	var waiting []<-chan fetched[T]
	defer func() {
		stop()
		for _, w := range waiting {
			(<-w).part.End()
		}
	}()
	for next := int(r.PagesRead) + 1; r.more; {
		for ; next <= last && len(waiting) < r.window; next++ {
			waiting = append(waiting, r.start(ctx, next))
		}
		if len(waiting) == 0 {
			return nil
		}
		f := <-waiting[0]
		waiting = waiting[1:]
		if err := r.take(ctx, f); err != nil {
			return err
		}
		r.adapt(f.took)
	}
	return nil
}

// fetched is a page, or why it could not be fetched. part holds its memory.
type fetched[T paging.Record] struct {
	part     *client.Session
	page     *upstream.Page[T]
	err      error
	took     time.Duration
	panicked any
}

// start starts to fetch a page.
func (r *reading[T]) start(ctx context.Context, number int) <-chan fetched[T] {
	done := make(chan fetched[T], 1)
	f := fetched[T]{part: r.session.Part()}
	if f.err = r.session.Account.Take(quota.Goroutine); f.err != nil {
		done <- f
		return done
	}
	go func() {
		defer func() {
			f.panicked = recover()
			r.session.Account.Return(quota.Goroutine)
			done <- f
		}()
		began := time.Now()
		f.page, f.err = r.fetch(ctx, f.part, client.PageRequest{Number: number, Size: r.size, AnySize: true, Shallow: true})
		f.took = time.Since(began)
	}()
	return done
}

// take adds a page and releases its memory. It continues the panic of a fetch.
func (r *reading[T]) take(ctx context.Context, f fetched[T]) error {
	if f.panicked != nil {
		f.part.Abandon()
		panic(f.panicked)
	}
	defer f.part.End()
	if f.err != nil {
		return f.err
	}
	return r.add(ctx, f.page)
}
