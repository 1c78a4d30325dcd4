package projection_test

import (
	"bytes"
	"sync"
	"testing"

	"pixgraph/graph/documents"
	"pixgraph/graph/generated"
)

// TestDataIsKept: the data of a response does not change when later operations reuse the buffers that it was written into, so
// that an extension may keep it.
func TestDataIsKept(t *testing.T) {
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	p := newProjector(t, schema, connectionOf(t), documents.New(0))
	first := p.Execute(contextOf(t, schema, wide), nil).Data
	want := bytes.Clone(first)
	if !bytes.HasPrefix(want, []byte(`{"deposits":{"nodes":[{"id":"`)) || len(want) < 100_000 {
		t.Fatalf("%d bytes: %.100s", len(want), want)
	}
	var running sync.WaitGroup
	for range 20 {
		running.Go(func() { p.Execute(contextOf(t, schema, narrow), nil) })
	}
	running.Wait()
	if !bytes.Equal(first, want) {
		t.Error("the data of a response was overwritten")
	}
}
