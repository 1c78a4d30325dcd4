package serve

import (
	"context"
	"log/slog"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph"
	"pixgraph/graph/apierror"
	"pixgraph/graph/execute/download"
	"pixgraph/graph/execute/paging"
	"pixgraph/graph/execute/summary"
	"pixgraph/internal/quota"
	"pixgraph/request"
	"pixgraph/serve/run"
	"pixgraph/serve/transport"
)

// fileMaker reads the pages of a list one after the other, each as an operation of its own, and writes their records to
// a file, or some pages at a time for a summary, of which it writes the groups. Between two pages it holds no slot, and
// while it reads a page it holds only that one.
type fileMaker struct {
	gateway *Gateway
	call    *request.Call
	total   *graph.Execution // of the pages
	list    *download.List   // nil for a summary
	sums    *download.Summary
	file    *transport.File
	turn    *quota.Turn // of the page that is read and written

	next     download.Start // the page that is read next
	more     bool           // whether there is one
	size     any            // of the pages, as requested; nil for the API's own
	coverage paging.Coverage
	covered  bool  // whether the page that is read was added to the coverage
	skipped  int64 // records before the first page
	pages    int64 // of the list, by the counts of its first page; 0 if they do not agree
	of       int64 // of these, those of the file
	walk     summary.Walk
	end      download.End
	full     bool // whether end has no room for further errors
	left     bool // whether the client accepts no more
}

// errorBytes is the memory of an error.
const errorBytes = 1 << 10

// download executes an operation as a download. It is a transport.Download.
func (g *Gateway) download(
	ctx context.Context, call *request.Call, operation *graphql.OperationContext, file *transport.File,
) *graphql.Response {
	g.persisted.Register(call)
	m := &fileMaker{gateway: g, call: call, file: file}
	file.Wait = func() func() {
		m.turn.Pause()
		return func() { m.turn.Resume(ctx) }
	}
	ctx, m.total = graph.NewExecution(ctx, m.call, graph.Input{Account: m.call.Account})
	return g.log.run(ctx, m.total, operation, func(ctx context.Context) *graphql.Response {
		list, sums, err := download.New(g.schema.Schema(), g.schema.Calls, operation)
		if err != nil {
			return m.show(ctx, err)
		}
		m.list, m.sums = list, sums
		m.call.Turn.End()
		m.call.Account.Trim() // each page has an account of its own
		pages, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(g.ending, cancel)()
		var response *graphql.Response
		if sums != nil {
			response = m.summarize(ctx, pages)
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
	failed := m.first(ctx)
	if failed != nil && m.end.Pages == 0 {
		return failed
	}
	for failed == nil && m.more && !m.left {
		failed = m.patiently(ctx, m.page)
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
func (m *fileMaker) first(ctx context.Context) (failed *graphql.Response) {
	if m.size = m.list.Size; m.size == nil {
		m.size = int64(paging.MaxSize)
	}
	if failed = m.page(ctx); failed == nil || m.list.Size != nil {
		return failed
	}
	for _, err := range failed.Errors {
		if _, refused := paging.RefusesSize(err); !refused {
			return failed
		}
	}
	m.size = nil
	if err := m.await(ctx); err != nil {
		return m.show(ctx, err)
	}
	return m.page(ctx)
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

// EndDownloads ends all downloads after their page, as incomplete. It does not wait.
func (g *Gateway) EndDownloads() { g.endDownloads() }

// ended returns the error of a download that ends because its client left, or because the gateway shuts down.
func (m *fileMaker) ended(ctx context.Context) error {
	if m.gateway.ending.Err() == nil {
		return errLeft
	}
	return &apierror.Error{Code: apierror.Overloaded, Message: "the gateway is shutting down: retry later", Retryable: true, Err: ctx.Err()}
}
