package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/test/gatewaytest"
	"pixgraph/upstream"
)

// members are the members of a JSON object, with their values as bytes.
type members map[string]json.RawMessage

func membersOf(t testing.TB, raw []byte) members {
	t.Helper()
	var m members
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatalf("%v in %.200s", err, raw)
	}
	return m
}

// TestExactness reads every record of the sandbox from the API and through the gateway with every field selected, and
// compares each value byte by byte.
func TestExactness(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		schema := g.schema()
		core := gatewaytest.Client{T: t, URL: g.Box.CoreURL(), Token: g.Token, HTTP: g.HTTP}
		dispatcher := gatewaytest.Client{T: t, URL: g.Box.DispatcherURL(), Token: g.Token, HTTP: g.HTTP}
		compare := comparer{t, schema}

		lists := []struct{ name, typeName, path string }{
			{"deposits", "Deposit", "/deposit"},
			{"withdrawals", "Withdrawal", "/withdrawal"},
		}
		for _, list := range lists {
			g.row(list.name, func(t testing.TB, g *gateway) {
				document := fmt.Sprintf("query($page: Int) { list: %s(page: $page, perPage: 80) { totalCount totalPages nodes { %s } } }",
					list.name, allFields(schema, list.typeName))
				records := 0
				for page := 1; page <= 3; page++ {
					sent := membersOf(t, core.Get(fmt.Sprintf("%s?page=%d&perPage=80", list.path, page)).WantOK().Body)
					got := membersOf(t, g.data(document, variables{"page": page})["list"])
					compare.wantRaw(list.name+".totalCount", sent["total"], got["totalCount"])
					compare.wantRaw(list.name+".totalPages", sent["totalPages"], got["totalPages"])
					records += compare.wantList(list.name, list.typeName, sent["data"], got["nodes"])
				}
				if records != 240 {
					t.Errorf("%d records were compared, want 240", records)
				}
			})
		}
		g.row("transactions", func(_ testing.TB, g *gateway) {
			document := fmt.Sprintf("query($id: ID!) { transaction(id: $id) { %s } }", allFields(schema, "Transaction"))
			for _, entry := range g.Box.Ledger().Transactions() {
				sent := core.Get("/transaction/" + entry.ID).WantOK().Body
				compare.wantObject("transaction", "Transaction", sent, g.data(document, variables{"id": entry.ID})["transaction"])
			}
		})
		g.row("notifications", func(_ testing.TB, g *gateway) {
			document := fmt.Sprintf("query($id: ID!) { notification(id: $id) { %s } }", allFields(schema, "Notification"))
			for _, entry := range g.Box.Ledger().Notifications() {
				sent := dispatcher.Get("/request/" + entry.ID).WantOK().Body
				compare.wantObject("notification", "Notification", sent, g.data(document, variables{"id": entry.ID})["notification"])
			}
		})
	})
}

// data runs an operation and returns the members of its data.
func (g *gateway) data(document string, vars variables) members {
	g.T.Helper()
	body := g.Query(document, vars).WantOK().Body
	return membersOf(g.T, membersOf(g.T, body)["data"])
}

// comparer compares the values of an API with those of the gateway, by the types of the schema.
type comparer struct {
	t      testing.TB
	schema *ast.Schema
}

// wantList compares two lists, and returns their length.
func (c comparer) wantList(at, typeName string, sent, got json.RawMessage) int {
	c.t.Helper()
	var sents, gots []json.RawMessage
	must(c.t, json.Unmarshal(sent, &sents))
	must(c.t, json.Unmarshal(got, &gots))
	if len(sents) != len(gots) {
		c.t.Fatalf("%s: the API has %d elements, the gateway %d", at, len(sents), len(gots))
	}
	for i := range sents {
		c.wantValue(fmt.Sprintf("%s[%d]", at, i), typeName, sents[i], gots[i])
	}
	return len(sents)
}

func (c comparer) wantObject(at, typeName string, sent, got json.RawMessage) {
	c.t.Helper()
	s, g := membersOf(c.t, sent), membersOf(c.t, got)
	for name := range s {
		if c.schema.Types[typeName].Fields.ForName(name) == nil {
			c.t.Errorf("%s: the schema has no field %s", at, name)
		}
	}
	for name, value := range g {
		if upstream.Derived(name) != nil {
			continue // no API sends it
		}
		field := c.schema.Types[typeName].Fields.ForName(name)
		sentName := strings.TrimSuffix(name, "Raw") // statusRaw is the API's text of status
		if field.Type.Elem != nil && !isNull(value) {
			c.wantList(at+"."+name, field.Type.Elem.Name(), s[sentName], value)
			continue
		}
		c.wantValue(at+"."+name, field.Type.Name(), s[sentName], value)
	}
}

func (c comparer) wantValue(at, typeName string, sent, got json.RawMessage) {
	c.t.Helper()
	switch {
	case isNull(sent) || isNull(got):
		if isNull(sent) != isNull(got) {
			c.t.Errorf("%s: the API has %.80s, the gateway %.80s", at, sent, got)
		}
	case typeName == "Document" && sent[0] == '"':
		c.wantRaw(at, json.RawMessage(fmt.Sprintf(`{"value":%s,"type":null}`, sent)), got)
	case typeName == "Contact":
		value := sent
		if sent[0] == '{' {
			value = membersOf(c.t, sent)["value"]
		}
		c.wantRaw(at, json.RawMessage(fmt.Sprintf(`{"value":%s,"raw":%s}`, value, sent)), got)
	case c.schema.Types[typeName].Kind == ast.Object:
		c.wantObject(at, typeName, sent, got)
	default:
		c.wantRaw(at, sent, got)
	}
}

// wantRaw compares the bytes, except for the escapes of HTML that encoding/json adds.
func (c comparer) wantRaw(at string, sent, got json.RawMessage) {
	c.t.Helper()
	var want bytes.Buffer
	must(c.t, json.Compact(&want, sent))
	escaped := bytes.Buffer{}
	json.HTMLEscape(&escaped, want.Bytes())
	if !bytes.Equal(want.Bytes(), got) && !bytes.Equal(escaped.Bytes(), got) {
		c.t.Errorf("%s: the API has %.200s, the gateway %.200s", at, sent, got)
	}
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }
