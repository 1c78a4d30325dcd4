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

// position is the position of a page in its list.
type position struct {
	page int64
	more bool
}

// page reads a page, releases the slot, and writes the records. page 0 is the one that the operation selects. failed is
// the response to a page that has no records to write.
func (m *fileMaker) page(ctx context.Context, page int64) (at position, failed *graphql.Response) {
	noMemory := false // for the ids of the records
	listed := func(l paging.Listing) {
		var perPage int64
		at.page, perPage, at.more = l.Position()
		if page == 0 {
			m.skipped = max(0, at.page-1) * perPage
		}
		if m.size != nil {
			m.size = min(perPage, paging.MaxSize) // the API may have reduced it
		}
		held := m.coverage.Bytes()
		l.Cover(&m.coverage, m.skipped)
		noMemory = m.call.Account.Take(m.coverage.Bytes()-held) != nil
		at.more = at.more && l.Len() > 0 // otherwise the numbers of records decide, as for a sum
	}
	m.turn = m.gateway.longTurn(ctx)
	defer m.turn.End()
	part := m.gateway.execute(ctx, m.call, graph.Input{Listed: listed, Turn: m.turn}, m.list.Query(m.gateway.parsed, page, m.size))
	defer part.release()
	m.call.Slot.Release()
	m.total.Add(part.Execution)
	response := part.response
	if response == nil {
		return at, m.show(ctx, m.ended(ctx))
	}
	indexed, err := wire.Index(part.data)
	if err != nil {
		return at, withoutData(response)
	}
	defer indexed.Release()
	records, ok := m.list.Records(indexed)
	if !ok {
		return at, withoutData(response)
	}
	if noMemory {
		return at, m.show(ctx, quota.ErrExhausted)
	}
	if len(response.Errors) > 0 {
		m.coverage.Note(paging.RecordUnreadable)
		m.fail(download.Numbered(response.Errors, m.end.Records))
	}
	if part.Account.Take(transport.FileBuffer) != nil {
		return at, m.show(ctx, quota.ErrExhausted)
	}
	m.left = m.write(records, m.list.Errors(response.Errors, m.gateway.config.MaxErrors, records.Len())) != nil
	return at, nil
}

// write writes the records of a page.
func (m *fileMaker) write(records wire.Parts, errs download.Errors) error {
	if m.end.Pages == 0 {
		m.file.Begin(m.list)
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
