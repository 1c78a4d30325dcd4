package pipeline_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pixgraph/internal/gatewaytest"

	"github.com/vektah/gqlparser/v2/ast"
)

// members is a JSON object whose values stay as they were written.
type members map[string]json.RawMessage

func membersOf(t testing.TB, raw []byte) members {
	t.Helper()
	var m members
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatalf("%v in %.200s", err, raw)
	}
	return m
}

// TestExactness reads every record of the sandbox twice, from the API and through the gateway with every field
// selected, and compares them value by value: what the API sent must come out as it was, to the digit and the byte.
func TestExactness(t *testing.T) {
	g := start(t)
	schema := g.schema()
	core := gatewaytest.Client{T: t, URL: g.Box.CoreURL(), Token: g.Token}
	dispatcher := gatewaytest.Client{T: t, URL: g.Box.DispatcherURL(), Token: g.Token}
	compare := comparer{t, schema}

	lists := []struct{ name, typeName, path string }{
		{"deposits", "Deposit", "/deposit"},
		{"withdrawals", "Withdrawal", "/withdrawal"},
	}
	for _, list := range lists {
		t.Run(list.name, func(t *testing.T) {
			document := fmt.Sprintf("query($page: Int) { list: %s(page: $page, perPage: 80) { totalCount totalPages nodes { %s } } }",
				list.name, allFields(schema, list.typeName))
			records := 0
			for page := 1; page <= 3; page++ {
				sent := membersOf(t, core.Get(fmt.Sprintf("%s?page=%d&perPage=80", list.path, page)).WantOK().Body)
				got := membersOf(t, g.data(document, variables{"page": page})["list"])
				compare.raw(list.name+".totalCount", sent["total"], got["totalCount"])
				compare.raw(list.name+".totalPages", sent["totalPages"], got["totalPages"])
				records += compare.list(list.name, list.typeName, sent["data"], got["nodes"])
			}
			if records != 240 {
				t.Errorf("%d records were compared, want 240", records)
			}
		})
	}
	t.Run("transactions", func(*testing.T) {
		document := fmt.Sprintf("query($id: ID!) { transaction(id: $id) { %s } }", allFields(schema, "Transaction"))
		for _, entry := range g.Box.Ledger().Transactions() {
			sent := core.Get("/transaction/" + entry.ID).WantOK().Body
			compare.object("transaction", "Transaction", sent, g.data(document, variables{"id": entry.ID})["transaction"])
		}
	})
	t.Run("notifications", func(*testing.T) {
		document := fmt.Sprintf("query($id: ID!) { notification(id: $id) { %s } }", allFields(schema, "Notification"))
		for _, entry := range g.Box.Ledger().Notifications() {
			sent := dispatcher.Get("/request/" + entry.ID).WantOK().Body
			compare.object("notification", "Notification", sent, g.data(document, variables{"id": entry.ID})["notification"])
		}
	})
}

// data runs an operation and returns its data's members as they were written.
func (g *gateway) data(document string, vars variables) members {
	g.T.Helper()
	body := g.Query(document, vars).WantOK().Body
	return membersOf(g.T, membersOf(g.T, body)["data"])
}

// comparer compares what an API sent with what the gateway made of it, by the types of the schema.
type comparer struct {
	t      *testing.T
	schema *ast.Schema
}

func (c comparer) list(at, typeName string, sent, got json.RawMessage) int {
	c.t.Helper()
	var sents, gots []json.RawMessage
	must(c.t, json.Unmarshal(sent, &sents))
	must(c.t, json.Unmarshal(got, &gots))
	if len(sents) != len(gots) {
		c.t.Fatalf("%s: %d elements became %d", at, len(sents), len(gots))
	}
	for i := range sents {
		c.value(fmt.Sprintf("%s[%d]", at, i), typeName, sents[i], gots[i])
	}
	return len(sents)
}

func (c comparer) object(at, typeName string, sent, got json.RawMessage) {
	c.t.Helper()
	s, g := membersOf(c.t, sent), membersOf(c.t, got)
	for name := range s {
		if c.schema.Types[typeName].Fields.ForName(name) == nil {
			c.t.Errorf("%s: the schema has no field %s", at, name)
		}
	}
	for name, value := range g {
		field := c.schema.Types[typeName].Fields.ForName(name)
		sentName := strings.TrimSuffix(name, "Raw") // statusRaw is status with the API's own text
		if field.Type.Elem != nil && !isNull(value) {
			c.list(at+"."+name, field.Type.Elem.Name(), s[sentName], value)
			continue
		}
		c.value(at+"."+name, field.Type.Name(), s[sentName], value)
	}
}

func (c comparer) value(at, typeName string, sent, got json.RawMessage) {
	c.t.Helper()
	switch {
	case isNull(sent) || isNull(got):
		if isNull(sent) != isNull(got) {
			c.t.Errorf("%s: %.80s became %.80s", at, sent, got)
		}
	case typeName == "Document" && sent[0] == '"':
		c.raw(at, json.RawMessage(fmt.Sprintf(`{"value":%s,"type":null}`, sent)), got)
	case typeName == "Contact":
		value := sent
		if sent[0] == '{' {
			value = membersOf(c.t, sent)["value"]
		}
		c.raw(at, json.RawMessage(fmt.Sprintf(`{"value":%s,"raw":%s}`, value, sent)), got)
	case c.schema.Types[typeName].Kind == ast.Object:
		c.object(at, typeName, sent, got)
	default:
		c.raw(at, sent, got)
	}
}

// raw compares byte by byte, but for the escapes that encoding/json puts into any text for the sake of HTML.
func (c comparer) raw(at string, sent, got json.RawMessage) {
	c.t.Helper()
	var want bytes.Buffer
	must(c.t, json.Compact(&want, sent))
	escaped := bytes.Buffer{}
	json.HTMLEscape(&escaped, want.Bytes())
	if !bytes.Equal(want.Bytes(), got) && !bytes.Equal(escaped.Bytes(), got) {
		c.t.Errorf("%s: %.200s became %.200s", at, sent, got)
	}
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }
