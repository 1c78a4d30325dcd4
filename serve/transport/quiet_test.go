package transport_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pixgraph/serve/run"
)

// TestNoEcho: errors do not contain literals, values and other content of a request. Each kind of error that quotes
// something is tested with a canary in that place.
func TestNoEcho(t *testing.T) {
	const canary = "canary 987.654.321-00"
	e := start(t, run.Config{})
	long := strings.Repeat("canary", 20)
	tests := []struct{ name, body string }{
		{"not JSON", `{"query":"` + canary},
		{"trailing bytes", `{"query":"{ ok }"}` + canary},
		{"an unknown member", `{"` + canary + `":1}`},
		{"a duplicate member", `{"` + canary + `":1,"` + canary + `":1}`},
		{"variables", `{"query":"{ ok }","variables":"` + canary + `"}`},
		{"operationName", bodyOf(`query A { ok } query B { ok }`, canary, ``)},
		{"a string instead of a name", bodyOf(`{ "`+canary+`" }`, "", ``)},
		{"a block string", bodyOf(`{ ok """`+canary+`""" }`, "", ``)},
		{"a comment", bodyOf("{ ok # "+canary+"\n", "", ``)},
		{"an unclosed string", bodyOf(`{ echo(id: "`+canary, "", ``)},
		{"an invalid escape", bodyOf(`{ echo(id: "\u{canary}") }`, "", ``)},
		{"another invalid escape", bodyOf(`{ echo(id: "\q `+canary+`") }`, "", ``)},
		{"a name instead of a brace", bodyOf(`query Q `+long+` { ok }`, "", ``)},
		{"a string for an Int", bodyOf(`{ echo(n: "`+canary+`") }`, "", ``)},
		{"a string with quotes for an Int", bodyOf(`{ echo(n: "\"`+canary+`\" \"x") }`, "", ``)},
		{"a list for an Int", bodyOf(`{ echo(n: ["`+canary+`"]) }`, "", ``)},
		{"an object for an ID", bodyOf(`{ echo(id: {a: "`+canary+`"}) }`, "", ``)},
		{"a string for an enum", bodyOf(`{ echo(filter: {colour: "`+canary+`"}) }`, "", ``)},
		{"a string for an input", bodyOf(`{ echo(filter: "`+canary+`") }`, "", ``)},
		{"a default", bodyOf(`query($n: Int = "`+canary+`") { echo(n: $n) }`, "", ``)},
		{"a default out of range", bodyOf(`query($n: Int = 98765432100987654321) { echo(n: $n) }`, "", ``)},
		{"a long field", bodyOf(`{ `+long+` }`, "", ``)},
		{"a long directive", bodyOf(`{ ok @`+long+` }`, "", ``)},
		{"a long variable", bodyOf(`{ echo(n: $`+long+`) }`, "", ``)},
		{"a long fragment", bodyOf(`{ ...`+long+` }`, "", ``)},
		{"conflicting fields", bodyOf(`{ x: echo(id: "`+canary+`") x: echo(id: "b") }`, "", ``)},
		{"a variable for an enum", bodyOf(`query($f: Filter) { echo(filter: $f) }`, "", `{"f":{"colour":"`+canary+`"}}`)},
		{"a variable for an Int", bodyOf(`query($n: Int) { echo(n: $n) }`, "", `{"n":"`+canary+`"}`)},
		{"a variable out of range", bodyOf(`query($n: Int) { echo(n: $n) }`, "", `{"n":98765432100987654321}`)},
		{"a variable for an input", bodyOf(`query($f: Filter) { echo(filter: $f) }`, "", `{"f":"`+canary+`"}`)},
		{"an unknown field of a variable", bodyOf(`query($f: Filter) { echo(filter: $f) }`, "", `{"f":{"`+canary+`":1}}`)},
		{"a long unknown field", bodyOf(`query($f: Filter) { echo(filter: $f) }`, "", `{"f":{"`+long+`":1}}`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e.t = t
			r := e.post(tt.body)
			if !strings.Contains(r.body, `"errors"`) {
				t.Fatalf("no error: %s", r.body)
			}
			if strings.Contains(r.body, "canary") || strings.Contains(r.body, "987") || len(r.body) > 500 {
				t.Errorf("response %s", r.body)
			}
		})
	}
}

func bodyOf(document, operationName, variables string) string {
	query, _ := json.Marshal(document)
	body := `{"query":` + string(query)
	if operationName != "" {
		body += `,"operationName":"` + operationName + `"`
	}
	if variables != "" {
		body += `,"variables":` + variables
	}
	return body + `}`
}

// TestMessages: a message without quoted content still describes the error.
func TestMessages(t *testing.T) {
	e := start(t, run.Config{})
	tests := []struct{ document, variables, message string }{
		{`{ nope }`, ``, `Cannot query field \"nope\" on type \"Query\".`},
		{`{ ok(a: "x"`, ``, `Expected Name, found <EOF>`},
		{`query 5 { ok }`, ``, `Expected {, found Int`},
		{`query ` + strings.Repeat("Q", 2000) + ` { echo(n: $n) }`, ``, `the document is not valid for the schema`},
		{`query ` + strings.Repeat("Q", 300) + ` { echo(n: $n) }`, ``, `Variable \"$n\" is not defined by operation \"…\".`},
		{`{ ok @nope }`, ``, `Unknown directive \"@nope\".`},
		{`{ ok(a: 1) }`, ``, `Unknown argument \"a\" on field \"Query.ok\".`},
		{`{ echo(n: "x") }`, ``, `Int cannot represent non-integer value`},
		{`{ echo(filter: {colour: BLUE}) }`, ``, `Value \"BLUE\" does not exist in \"Colour\" enum.`},
		{`{ echo(id: "\q") }`, ``, `Unexpected <Invalid>`},
		{"\x00", ``, `Unexpected <Invalid>`},
		{`query($n: Int!) { echo(n: $n) }`, ``, `variable $n must be defined`},
		{`query($f: Filter) { echo(filter: $f) }`, `{"f":{"texts":["a",null]}}`, `variable $f.texts[1] cannot be null`},
		{`query($f: Filter) { echo(filter: $f) }`, `{"f":{"colour":"BLUE"}}`, `variable $f.colour is not a value of Colour`},
		{`query($f: Filter) { echo(filter: $f) }`, `{"f":{"colours":"BLUE"}}`, `variable $f.colours is an unknown field`},
	}
	for _, tt := range tests {
		t.Run(tt.message, func(t *testing.T) {
			e.t = t
			if r := e.post(bodyOf(tt.document, "", tt.variables)); !strings.Contains(r.body, `"`+tt.message) {
				t.Errorf("response %s, want %s", r.body, tt.message)
			}
		})
	}
}
