package serve

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph"
	"pixgraph/graph/apierror"
	"pixgraph/graph/execute/download"
	"pixgraph/graph/execute/paging"
	"pixgraph/internal/quota"
	"pixgraph/serve/transport"
	"pixgraph/upstream"
	"pixgraph/upstream/wire"
)

// page reads the next page, releases the slot, and writes the records. failed is the response if the page cannot be
// read, or if its records were written but the cursor of the page after it is unknown.
func (m *fileMaker) page(ctx context.Context) (failed *graphql.Response) {
	noMemory := false // for the ids of the records
	var cursorErr error
	at, next, more := m.next, download.Start{}, false
	m.covered = false
	listed := func(l paging.Listing) {
		number, perPage, pages := l.Page()
		if at == (download.Start{}) {
			m.skipped, m.pages = l.Skipped(), pages
		}
		if m.list.Cursors && m.size != nil {
			size := min(perPage, paging.MaxSize) // the API may have reduced it: a window is one page
			if left := m.list.First - m.end.Records - l.Len(); left > 0 {
				size = min(size, int64(left))
			}
			m.size = size
		}
		m.covered = true
		held := m.coverage.Bytes()
		if l.Cover(&m.coverage, m.skipped); at == (download.Start{}) {
			if total := m.coverage.Total(); total != upstream.Uncounted {
				if m.list.First > 0 {
					total = min(total, int64(m.list.First))
				}
				m.end.Total = &total
				if pages > 0 {
					m.of = (total + perPage - 1) / perPage
				}
			}
		}
		noMemory = m.call.Account.Take(m.coverage.Bytes()-held) != nil
		next.Page = number + 1
		if more = l.More() && l.Len() > 0; !m.list.Cursors {
			more = l.Follows(m.skipped+int64(m.end.Records+l.Len()), m.pages)
		}
		if m.list.First > 0 && m.end.Records+l.Len() >= m.list.First {
			more = false
			m.coverage.Enough()
		}
		if more = more && !m.coverage.Repeats(); more && m.list.Cursors {
			next.After, cursorErr = l.Cursor(l.Len() - 1)
		}
	}
	m.turn = m.gateway.LongTurn(ctx, m.call)
	defer m.turn.End()
	part := m.gateway.execute(ctx, m.call, graph.Input{Listed: listed, AnySize: at.Page > 0, Turn: m.turn}, m.list.Query(m.gateway.parsed, at, m.size))
	defer part.release()
	m.call.Slot.Release()
	m.total.Add(part.Execution)
	response := part.response
	if response == nil {
		return m.show(ctx, m.ended(ctx))
	}
	indexed, err := wire.Index(response.Data)
	if err != nil {
		return withoutData(response)
	}
	defer indexed.Release()
	records, ok := m.list.Records(indexed)
	if !ok {
		return withoutData(response)
	}
	if noMemory {
		return m.show(ctx, quota.ErrExhausted)
	}
	if len(response.Errors) > 0 {
		m.coverage.Note(paging.RecordUnreadable)
		m.fail(download.Numbered(response.Errors, m.end.Records))
	}
	if part.Account.Take(transport.FileBuffer) != nil {
		return m.show(ctx, quota.ErrExhausted)
	}
	m.next, m.more = next, more
	m.left = m.write(records, m.list.Errors(response.Errors, m.gateway.config.MaxErrors, records.Len())) != nil
	if cursorErr != nil {
		return m.show(ctx, cursorErr)
	}
	return nil
}

// write writes the records of a page.
func (m *fileMaker) write(records wire.Parts, errs download.Errors) error {
	m.begin(&m.list.Table)
	m.end.Pages++
	for index := 0; records.Next(); index++ {
		m.end.Records++
		if err := m.file.Record(m.list.Record(records.Value()), errs[index]); err != nil {
			return err
		}
	}
	return m.progress(nil)
}

// begin begins the file, unless it has begun, and a part of it.
func (m *fileMaker) begin(table *download.Table) {
	if m.end.Pages == 0 {
		m.file.Begin(table, m.end.Total)
	}
	m.file.Page()
}

// progress sends what was written, and says how far the file is, and why it waits if it does.
func (m *fileMaker) progress(waiting *apierror.Error) error {
	p := download.Progress{Pages: int64(m.end.Pages), Of: m.of, Records: int64(m.end.Records), Total: m.end.Total}
	if m.list == nil {
		p.Of, p.Records = m.walk.Of, m.walk.Records
		if m.walk.Total != upstream.Uncounted {
			p.Total = &m.walk.Total
		}
	}
	if waiting != nil {
		m.file.Page()
		p.Waiting = &download.Waiting{Code: string(waiting.Code), Service: waiting.Service}
	}
	m.file.Progress(p)
	err := m.file.Flush()
	m.left = m.left || err != nil
	return err
}

// withoutData returns the errors of a response, so that its status says that it failed.
func withoutData(response *graphql.Response) *graphql.Response {
	return &graphql.Response{Errors: response.Errors}
}
