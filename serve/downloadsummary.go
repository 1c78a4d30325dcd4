package serve

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph"
	"pixgraph/graph/execute/paging"
	"pixgraph/graph/execute/summary"
	"pixgraph/internal/quota"
	"pixgraph/serve/transport"
	"pixgraph/upstream/wire"
)

// pagesAtOnce is the number of pages of a summary that one execution reads: several times as many as are fetched at the
// same time, and few enough for the timeout of an operation over a slow API.
const pagesAtOnce = 32

// summarize reads all pages of a summary, of which the operation has paid the first, and writes the rows. reading is
// ctx until the gateway ends downloads.
func (m *fileMaker) summarize(ctx, reading context.Context) *graphql.Response {
	m.walk = summary.Walk{Account: m.call.Account, Whole: !m.sums.Limited, Pages: 1}
	failed := m.part(reading)
	if failed != nil && m.walk.Read == 0 {
		return failed
	}
	for failed == nil && m.walk.Left > 0 && !m.left {
		failed = m.patiently(reading, m.part)
	}
	if failed != nil {
		m.walk.Pages, m.walk.Failed = 0, reasonOf(failed)
		m.fail(failed.Errors)
		if failed = m.part(ctx); failed != nil {
			m.fail(failed.Errors)
		}
	}
	if failed != nil {
		m.walk.Reason = paging.PageFailed
	}
	m.end.Reason = m.walk.Reason
	return m.finish()
}

// part reads the next pages of a summary, releases the slot, and writes the rows if these were the last ones. failed is
// the response if a page cannot be read.
func (m *fileMaker) part(ctx context.Context) (failed *graphql.Response) {
	m.turn = m.gateway.LongTurn(ctx, m.call)
	defer m.turn.End()
	part := m.gateway.execute(ctx, m.call, graph.Input{Turn: m.turn, Walk: &m.walk}, m.sums.Query())
	defer part.release()
	m.call.Slot.Release()
	m.total.Add(part.Execution)
	if part.response == nil {
		return m.show(ctx, m.ended(ctx))
	}
	indexed, err := wire.Index(part.response.Data)
	if err != nil {
		return m.show(ctx, err)
	}
	defer indexed.Release()
	if !m.sums.In(indexed) {
		return withoutData(part.response)
	}
	if part.Account.Take(transport.FileBuffer) != nil {
		return m.show(ctx, quota.ErrExhausted)
	}
	m.begin(&m.sums.Table)
	m.end.Pages = int(m.walk.Read)
	if m.walk.Left > 0 {
		_ = m.progress(nil) // a client that left is noted
		return nil
	}
	m.end.Summary = m.sums.Totals(indexed)
	err = m.sums.Rows(indexed, func(row wire.Value) error {
		m.end.Records++
		err := m.file.Record(row, nil)
		m.left = err != nil
		return err
	})
	m.fail(part.response.Errors)
	if err != nil && !m.left {
		m.walk.Reason = paging.PageFailed
		m.fail(m.show(ctx, err).Errors)
	}
	return nil
}
