package projection_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"pixgraph/graph/execute/documents"
	"pixgraph/graph/execute/projection"
	"pixgraph/graph/generated"
)

// TestDataIsHandedOver: the data is next to the response, which holds nothing that is reused. So an extension may keep
// what the response holds.
func TestDataIsHandedOver(t *testing.T) {
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	p := newProjector(t, schema, connectionOf(t, deposits()), documents.New(0))
	response, data := p.Execute(contextOf(t, schema, wide), nil)
	if !json.Valid(data) || !bytes.HasPrefix(data, []byte(`{"deposits":{"nodes":[{"id":"`)) || len(data) < 100_000 {
		t.Fatalf("%d bytes: %.100s", len(data), data)
	}
	if !projection.IsHandedOver(response) {
		t.Errorf("the response holds %.100s", response.Data)
	}
	kept := response.Data
	want := bytes.Clone(kept)
	data.Release() // with the race detector, this overwrites the data
	if _, later := p.Execute(contextOf(t, schema, narrow), nil); !bytes.Equal(kept, want) {
		t.Errorf("after %.100s the response holds %.100s", later, kept)
	}
	response.Data = bytes.Clone(response.Data)
	if projection.IsHandedOver(response) {
		t.Error("data that an extension put into the response is taken for what was handed over")
	}
}
