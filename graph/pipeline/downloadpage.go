package pipeline

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph"
	"pixgraph/graph/execute/download"
	"pixgraph/graph/execute/paging"
	"pixgraph/graph/transport"
	"pixgraph/internal/quota"
	"pixgraph/upstream/wire"
)

// page reads the page that begins at a position, releases the slot, and writes the records. next is the position of the
// page after it, if more is true. failed is the response if the page cannot be read, or if its records were written but
// the cursor of the next page is unknown.
func (m *fileMaker) page(ctx context.Context, at download.Start) (next download.Start, more bool, failed *graphql.Response) {
	noMemory := false // for the ids of the records
	var cursorErr error
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
		held := m.coverage.Bytes()
		l.Cover(&m.coverage, m.skipped)
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
	m.turn = m.gateway.longTurn(ctx)
	defer m.turn.End()
	part := m.gateway.execute(ctx, m.call, graph.Input{Listed: listed, AnySize: at.Page > 0, Turn: m.turn}, m.list.Query(m.gateway.parsed, at, m.size))
	defer part.release()
	m.call.Slot.Release()
	m.total.Add(part.Execution)
	response := part.response
	if response == nil {
		return next, more, m.show(ctx, m.ended(ctx))
	}
	indexed, err := wire.Index(part.data)
	if err != nil {
		return next, more, withoutData(response)
	}
	defer indexed.Release()
	records, ok := m.list.Records(indexed)
	if !ok {
		return next, more, withoutData(response)
	}
	if noMemory {
		return next, more, m.show(ctx, quota.ErrExhausted)
	}
	if len(response.Errors) > 0 {
		m.coverage.Note(paging.RecordUnreadable)
		m.fail(download.Numbered(response.Errors, m.end.Records))
	}
	if part.Account.Take(transport.FileBuffer) != nil {
		return next, more, m.show(ctx, quota.ErrExhausted)
	}
	m.left = m.write(records, m.list.Errors(response.Errors, m.gateway.config.MaxErrors, records.Len())) != nil
	if cursorErr != nil {
		return next, more, m.show(ctx, cursorErr)
	}
	return next, more, nil
}

// write writes the records of a page.
func (m *fileMaker) write(records wire.Parts, errs download.Errors) error {
	if m.end.Pages == 0 {
		m.file.Begin(&m.list.Table)
	}
	m.end.Pages++
	m.file.Page()
	for index := 0; records.Next(); index++ {
		m.end.Records++
		if err := m.file.Record(m.list.Record(records.Value()), errs[index]); err != nil {
			return err
		}
	}
	return m.file.Flush()
}

// withoutData returns the errors of a response, so that its status says that it failed.
func withoutData(response *graphql.Response) *graphql.Response {
	return &graphql.Response{Errors: response.Errors}
}
