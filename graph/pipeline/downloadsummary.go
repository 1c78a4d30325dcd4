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

// summary reads a summary, releases the slot, and writes the rows. The calls were paid with the operation.
func (m *fileMaker) summary(ctx context.Context, sums *download.Summary) *graphql.Response {
	m.turn = m.gateway.longTurn(ctx)
	defer m.turn.End()
	summed := func(pages int, reason paging.Reason) { m.end.Pages, m.end.Reason = pages, reason }
	input := graph.Input{Turn: m.turn, Summed: summed}
	part := m.gateway.execute(ctx, m.call, input, sums.Query())
	defer part.release()
	m.call.Slot.Release()
	m.total.Add(part.Execution)
	if part.response == nil {
		return m.show(ctx, m.ended(ctx))
	}
	indexed, err := wire.Index(part.data)
	if err != nil {
		return m.show(ctx, err)
	}
	defer indexed.Release()
	if !sums.In(indexed) {
		return withoutData(part.response)
	}
	if part.Account.Take(transport.FileBuffer) != nil {
		return m.show(ctx, quota.ErrExhausted)
	}
	m.file.Begin(&sums.Table)
	m.file.Page()
	err = sums.Rows(indexed, func(row wire.Value) error {
		m.end.Records++
		err := m.file.Record(row, nil)
		m.left = err != nil
		return err
	})
	m.fail(part.response.Errors)
	if err != nil && !m.left {
		m.end.Reason = paging.PageFailed
		m.fail(m.show(ctx, err).Errors)
	}
	return m.finish()
}
