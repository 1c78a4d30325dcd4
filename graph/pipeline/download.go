package pipeline

import (
	"context"
	"log/slog"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/auth"
	"pixgraph/graph"
	"pixgraph/graph/apierror"
	"pixgraph/graph/execute/download"
	"pixgraph/graph/execute/paging"
	"pixgraph/graph/guard/limits"
	"pixgraph/graph/transport"
	"pixgraph/graph/transport/run"
	"pixgraph/internal/quota"
	"pixgraph/request"
)

// fileMaker reads the pages of a list one after the other, each as an operation of its own, and writes their records to
// a file. Between two pages it holds no slot, and while it reads a page it holds only that one. A summary is one
// operation, of which it writes the groups.
type fileMaker struct {
	gateway *Gateway
	call    *request.Call
	total   *graph.Execution // of the pages
	list    *download.List   // nil for a summary
	file    *transport.File
	turn    *quota.Turn // of the page that is read and written

	size     any // of the pages, as requested; nil for the API's own
	coverage paging.Coverage
	skipped  int64 // records before the first page
	pages    int64 // of the list, by the counts of its first page; 0 if they do not agree
	end      download.End
	full     bool // whether end has no room for further errors
	left     bool // whether the client accepts no more
}

const (
	// errorBytes is the memory of an error.
	errorBytes = 1 << 10
	// payWithin bounds the time for which a page waits for the rate limit of its caller.
	payWithin = time.Minute
)

// download executes the operation in ctx as a download. It is the Download function of transport.Config.
func (g *Gateway) download(ctx context.Context, file *transport.File) *graphql.Response {
	m := &fileMaker{gateway: g, call: request.CallOf(ctx), file: file}
	file.Wait = func() func() {
		m.turn.Pause()
		return func() { m.turn.Resume(ctx) }
	}
	ctx, m.total = graph.NewExecution(ctx, m.call, graph.Input{Account: m.call.Account})
	return g.log.run(ctx, func(ctx context.Context) *graphql.Response {
		list, sums, err := download.New(g.schema.Schema(), g.schema.Calls, graphql.GetOperationContext(ctx))
		if err != nil {
			return m.show(ctx, err)
		}
		m.list = list
		m.call.Turn.End()
		m.call.Account.Trim() // each page has an account of its own
		pages, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(g.ending, cancel)()
		var response *graphql.Response
		if sums != nil {
			response = m.summary(pages, sums)
		} else {
			response = m.run(pages)
		}
		m.left = m.left || ctx.Err() != nil
		return response
	}, "download", m)
}

// LogValue implements slog.LogValuer.
func (m *fileMaker) LogValue() slog.Value {
	return slog.GroupValue(slog.Bool("complete", m.end.Complete), slog.String("reason", string(m.end.Reason)),
		slog.Int("records", m.end.Records), slog.Int("pages", m.end.Pages), slog.Bool("clientLeft", m.left))
}

// show returns the response to a download that failed before its first page.
func (m *fileMaker) show(ctx context.Context, err error) *graphql.Response {
	return m.gateway.present.rejected(ctx, err)
}

// run reads and writes all pages. The response has the errors. Its data is empty if nothing was written.
func (m *fileMaker) run(ctx context.Context) *graphql.Response {
	next, more, failed := m.first(ctx)
	if failed != nil && m.end.Pages == 0 {
		return failed
	}
	for failed == nil && more && !m.left {
		if err := m.await(ctx); err != nil {
			failed = m.show(ctx, err)
			break
		}
		next, more, failed = m.page(ctx, next)
	}
	if m.end.Reason = m.coverage.Incomplete(); failed != nil {
		m.end.Reason = reasonOf(failed) // the end of the file is missing, which is more than any other reason says
		m.fail(failed.Errors)
	}
	return m.finish()
}

// finish ends the file. The response has the errors.
func (m *fileMaker) finish() *graphql.Response {
	m.end.Complete = m.end.Reason == ""
	if err := m.file.End(m.end); err != nil {
		m.left = true
	}
	return &graphql.Response{Data: []byte("{}"), Errors: m.end.Errors}
}

// first reads the page that the operation selects, with 100 records if the operation does not say how many and the API
// allows it.
func (m *fileMaker) first(ctx context.Context) (next download.Start, more bool, failed *graphql.Response) {
	if m.size = m.list.Size; m.size == nil {
		m.size = int64(paging.MaxSize)
	}
	if next, more, failed = m.page(ctx, download.Start{}); failed == nil || m.list.Size != nil {
		return next, more, failed
	}
	for _, err := range failed.Errors {
		if _, refused := paging.RefusesSize(err); !refused {
			return next, more, failed
		}
	}
	m.size = nil
	if err := m.await(ctx); err != nil {
		return next, more, m.show(ctx, err)
	}
	return m.page(ctx, download.Start{})
}

// reasonOf returns the reason for a list that ends with a failed page.
func reasonOf(failed *graphql.Response) paging.Reason {
	for _, err := range failed.Errors {
		if e := apierror.Of(err); e != nil && e.Code == apierror.PagingUnsupported {
			return paging.PagingUnknown
		}
	}
	return paging.PageFailed
}

// fail adds errors, as many as a response may have and memory allows, and one that says that there are more.
func (m *fileMaker) fail(errs gqlerror.List) {
	for _, err := range errs {
		if m.full {
			return
		}
		if m.full = len(m.end.Errors) == m.gateway.config.MaxErrors || m.call.Account.Take(errorBytes) != nil; m.full {
			err = run.TooManyErrors(len(m.end.Errors)).Wrap()
		}
		m.end.Errors = append(m.end.Errors, err)
	}
}

// await waits until the next page may be read: the caller pays for its calls, and the operation gets its slot again.
func (m *fileMaker) await(ctx context.Context) error {
	expired := m.call.Identity.Expiry()
	for waited := time.Duration(0); ; {
		wait := m.gateway.limited.PayInBackground(m.call.Caller(), m.call.Address, m.call.Cost.UpstreamCalls)
		if wait == 0 {
			break
		}
		if waited += wait; waited > payWithin {
			return limits.RateLimited(wait)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return m.ended(ctx)
		}
	}
	switch {
	case ctx.Err() != nil:
		return m.ended(ctx)
	case !expired.IsZero() && !time.Now().Before(expired):
		return &auth.Error{Reason: auth.ReasonExpired}
	}
	if !m.call.Slot.Retake(ctx, m.gateway.admitWithin()) {
		return run.ErrOverloaded
	}
	return nil
}

// EndDownloads ends all downloads after their page, as incomplete. It does not wait.
func (g *Gateway) EndDownloads() { g.endDownloads() }

// ended returns the error of a download that ends because its client left, or because the gateway shuts down.
func (m *fileMaker) ended(ctx context.Context) error {
	if m.gateway.ending.Err() == nil {
		return errLeft
	}
	return &apierror.Error{Code: apierror.Overloaded, Message: "the gateway is shutting down: retry later", Retryable: true, Err: ctx.Err()}
}
