package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pixgraph/upstream/wire"
)

// FuzzIndex compares the index of a document with encoding/json.
func FuzzIndex(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-0.5e+3,"x\u00e9\\\"",true,false,null,{}]}`, "\"\x00\"", `[1,]`, `01`, `-`, `"\u12g4"`, ` { "a" : [ ] } x`,
		`{"data":[{"a":1,"b":[2]},5,{"a":{},"a":"x"},null,[]],"total":1}`, `{"d\u0061ta":[{}]}`, `{"a":1`, `{}{}`, `{"a\\":{"é":[]}}`,
		strings.Repeat("[", 300), strings.Repeat("[", 40) + `1` + strings.Repeat("]", 40), "[" + strings.Repeat("1,", 1200) + "1]",
		`{"long":"` + strings.Repeat("a", 300) + "é" + strings.Repeat("b", 40) + `"}`, `["` + strings.Repeat("x", 130) + "\x01" + `"]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		for _, index := range []func([]byte) (wire.Value, error){wire.Index, wire.IndexRecords} {
			value, err := index(document)
			if valid := json.Valid(document); valid != (err == nil) {
				t.Fatalf("%q: %v, valid %v", document, err, valid)
			}
			if err == nil {
				compare(t, value, bytes.TrimSpace(document))
			}
		}
	})
}

// compare compares a value with its bytes, as encoding/json splits them.
func compare(t *testing.T, value wire.Value, raw []byte) {
	t.Helper()
	if !bytes.Equal(value.Bytes(), raw) || value.Kind() != raw[0] || value.IsNull() != (string(raw) == "null") {
		t.Fatalf("%q, want %q", value.Bytes(), raw)
	}
	switch raw[0] {
	case '{':
		compareMembers(t, value, raw)
	case '[':
		compareElements(t, value, raw)
	default:
		plain := raw[0] == '"' && !bytes.ContainsFunc(raw, func(r rune) bool { return r == '\\' || r > '~'+1 })
		if value.IsPlain() != plain {
			t.Fatalf("%q: plain = %v", raw, value.IsPlain())
		}
		if _, err := value.Members(); !errors.Is(err, wire.ErrWrongKind) {
			t.Fatalf("%q has members", raw)
		}
		if _, err := value.Elements(); !errors.Is(err, wire.ErrWrongKind) {
			t.Fatalf("%q has elements", raw)
		}
	}
}

func compareMembers(t *testing.T, value wire.Value, raw []byte) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if _, err := decoder.Token(); err != nil {
		t.Fatal(err)
	}
	parts, err := value.Members()
	if err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	last := map[string]string{}
	count := 0
	for decoder.More() {
		name, err := decoder.Token()
		must(t, err)
		var member json.RawMessage
		must(t, decoder.Decode(&member))
		if !parts.Next() {
			t.Fatalf("%q has %d members, want more", raw, count)
		}
		count++
		if got := string(bytes.ToValidUTF8(parts.Name(), nil)); got != strings.ReplaceAll(name.(string), "\uFFFD", "") && !strings.Contains(got, "\uFFFD") {
			t.Fatalf("member %q, want %q", got, name)
		}
		compare(t, parts.Value(), bytes.TrimSpace(member))
		last[string(parts.Name())] = string(parts.Value().Bytes())
	}
	if parts.Next() || parts.Len() != count {
		t.Fatalf("%q has %d members, want %d", raw, parts.Len(), count)
	}
	for name, want := range last {
		if got := value.Get(name); string(got.Bytes()) != want {
			t.Fatalf("%q is %q, want %q", name, got.Bytes(), want)
		}
	}
	if value.Get("\x00").Exists() && last["\x00"] == "" {
		t.Fatalf("%q has a member that is not in it", raw)
	}
}

func compareElements(t *testing.T, value wire.Value, raw []byte) {
	t.Helper()
	var want []json.RawMessage
	must(t, json.Unmarshal(raw, &want))
	parts, err := value.Elements()
	if tooMany := len(want) > 1000; tooMany != errors.Is(err, wire.ErrTooMany) || !tooMany && parts.Len() != len(want) {
		t.Fatalf("%d elements, want %d: %v", parts.Len(), len(want), err)
	}
	for i := 0; parts.Next(); i++ {
		compare(t, parts.Value(), bytes.TrimSpace(want[i]))
	}
}

func TestLimits(t *testing.T) {
	list := func(n int) []byte { return []byte("[" + strings.TrimSuffix(strings.Repeat("{},", n), ",") + "]") }
	for n, want := range map[int]error{1000: nil, 1001: wire.ErrTooMany} {
		value, err := wire.Index(list(n))
		must(t, err)
		if _, err := value.Elements(); !errors.Is(err, want) {
			t.Errorf("%d elements: %v", n, err)
		}
	}
	for depth, want := range map[int]error{9_999: nil, 10_001: wire.ErrNotJSON} {
		for _, brackets := range [][2]string{{"[", "]"}, {`{"":`, "}"}} {
			deep := strings.Repeat(brackets[0], depth) + "0" + strings.Repeat(brackets[1], depth)
			if _, err := wire.Index([]byte(deep)); !errors.Is(err, want) {
				t.Errorf("%d levels of %s: %v", depth, brackets[0], err)
			}
		}
	}
}

// TestTinyValues: the index of a document of very many tiny values does not need more memory than the document.
func TestTinyValues(t *testing.T) {
	row := "[" + strings.TrimSuffix(strings.Repeat("0,", 1000), ",") + "]"
	rows := "[" + strings.TrimSuffix(strings.Repeat(row+",", 100), ",") + "]"
	for _, document := range []string{
		`{"a":{"b":` + rows + `}}`,
		`{"a":{"b":{"c":` + rows + `}}}`,
		`{"data":[` + strings.TrimSuffix(strings.Repeat(`{"":0,"":0,"":[]},`, 300), ",") + `]}`,
	} {
		compareMembers(t, index(t, document), []byte(document))
		if got := testing.AllocsPerRun(1, func() { index(t, document) }); got > 40 {
			t.Errorf("%d bytes need %g allocations", len(document), got)
		}
	}
}

func index(t *testing.T, document string) wire.Value {
	t.Helper()
	value, err := wire.Index([]byte(document))
	must(t, err)
	return value
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
