package serve

import (
	"context"
	"errors"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/internal/quota"
	"pixgraph/request"
)

// TestAnswerAfterTheEnd: a reading whose context has ended, because the gateway shuts down, has no answer.
func TestAnswerAfterTheEnd(t *testing.T) {
	query := &graphql.OperationContext{Operation: &ast.OperationDefinition{Operation: ast.Query}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := &Gateway{turns: quota.NewTurns(1, quota.DefaultPiece)}
	if answer, err := g.answer(ctx, &request.Call{}, query, nil); answer != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%q, %v", answer, err)
	}
}
