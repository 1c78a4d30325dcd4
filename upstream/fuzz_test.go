package upstream_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pixgraph/upstream"
	"pixgraph/upstream/wire"
)

// addSamples seeds a fuzz test with the samples of testdata and with documents that failed before.
func addSamples(f *testing.F) {
	f.Helper()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		f.Fatalf("no samples: %v", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		must(f, err)
		f.Add(raw)
		f.Add([]byte(`{"total":1,"totalPages":1,"currentPage":1,"perPage":20,"data":[` + string(raw) + `,null]}`))
	}
	const levels = 100_000 // rejected without a stack overflow, and without a pass for each level
	for _, text := range []string{
		" \t\r\n{\n} \n", `{"id":"1"}`, `{"\u0069d":"1","\ud83d\ude00":2,"\ud800":3}`, ` `, `[{}]`, `"{}"`, `7`,
		"\ufeff{}", "\v{}", "{}\x00", "{}\u00a0", `{},`, `{}{}`, `{} [`, `{} "\u00`, `{} 1e`, `{} nul`,
		`{"id":"1"`, `{"id`, `{"id":1,}`, `{"a":1,,"b":2}`, `{"id" 1}`, `{id:1}`, `{'id':1}`, `{}//`, `{"a":01}`,
		`{"a":1.}`, `{"a":+1}`, `{"a":NaN}`, `{"a":nulx}`, "{\"a\":\"\x01\"}", "{\"a\":\"\n\"}", `{"a":"\x41"}`,
		`{"a":"\u00g0"}`, `{"a":{"b":[1,{"c":tru}]}}`,
		`{"metadata":` + strings.Repeat(`[`, levels) + strings.Repeat(`]`, levels) + `}`, `{"metadata":` + strings.Repeat(`[`, levels),
		`{"metadata":` + strings.Repeat(`{"a":`, levels) + `1` + strings.Repeat(`}`, levels) + `}`, strings.Repeat(`{"metadata":`, levels),
		``, `{}`, `null`, `{} {"a":`, `{"id":"\ud800","name":"\ud83d\ude00"}`, `{"\ud800":1,"id":"\`, "{\"id\":\"\xff\"}",
		`{"amount":1e999999999,"feeAmount":-0.0}`, `{"document":{"value":null},"email":{"value":7}}`, `{"metadata":[[[[]]]]}`,
	} {
		f.Add([]byte(text))
	}
}

// checkMembers reads each member of an object, and of the objects within it, in every way that a response is written
// from it, and checks that what is copied into responses is valid JSON and UTF-8.
func checkMembers(t *testing.T, value wire.Value) {
	if elements, err := value.Elements(); err == nil {
		for elements.Next() {
			checkMembers(t, elements.Value())
		}
	}
	members, err := value.Members()
	for err == nil && members.Next() {
		checkMembers(t, members.Value())
	}
	var copied [][]byte
	if text, err := upstream.ReadText(value); err == nil {
		var s string
		if json.Unmarshal(text, &s) != nil || s != text.String() || strings.Count(s, "\ufffd") > replacements(text) {
			t.Errorf("%q reads as %q", text, text.String())
		}
		copied = append(copied, text)
	}
	if number, err := upstream.ReadDecimal(value); err == nil {
		copied = append(copied, number)
	}
	if raw, err := upstream.ReadJSON(value); err == nil {
		copied = append(copied, raw)
	}
	if contact, err := upstream.ReadContact(value); err == nil {
		copied = append(copied, contact.Raw())
		if text := contact.Value(); text != nil {
			copied = append(copied, text)
		}
	}
	for _, raw := range copied {
		if !json.Valid(raw) || !utf8.Valid(raw) {
			t.Errorf("%q is copied", raw)
		}
	}
	_, _ = upstream.ReadCents(value)
	_, _ = upstream.ReadInt32(value)
	_, _ = upstream.ReadBool(value)
}

// checkDerived checks that derived fields are valid JSON and UTF-8.
func checkDerived(t *testing.T, record upstream.AnyResource) {
	raw := upstream.RawOfAny(record)
	for name := range upstream.DerivedNames() {
		value, err := upstream.Derived(name)(raw)
		if err == nil && value.Exists() && (!json.Valid(value.Bytes()) || !utf8.Valid(value.Bytes())) {
			t.Errorf("%s is %q", name, value.Bytes())
		}
	}
}

// replacements counts the replacement characters in a text. If the decoded text has more, the text was not valid
// Unicode.
func replacements(text upstream.Text) int {
	lower := strings.ToLower(string(text))
	return strings.Count(lower, "\ufffd") + strings.Count(lower, `\ufffd`)
}

func FuzzRecord(f *testing.F) {
	addSamples(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		isObject := json.Valid(raw) && strings.HasPrefix(strings.TrimLeft(string(raw), " \t\r\n"), "{")
		record, err := upstream.Decode[upstream.Deposit](raw)
		if (err == nil) != isObject {
			t.Fatalf("error = %v, object: %v", err, isObject)
		}
		if err == nil {
			checkMembers(t, upstream.RawOf(record).Value)
			checkDerived(t, record)
		}
	})
}

func FuzzPage(f *testing.F) {
	addSamples(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		page, err := upstream.DecodePage[upstream.Deposit](raw)
		if err != nil {
			return
		}
		if !json.Valid(raw) || page.Total < upstream.Uncounted || page.TotalPages < upstream.Uncounted || page.CurrentPage < 0 || page.PerPage < 0 {
			t.Errorf("page = %+v", page)
		}
		for _, record := range page.Records {
			if !json.Valid(record.Bytes()) {
				t.Errorf("record = %q", record.Bytes())
			}
			if deposit, err := record.Raw(); err == nil {
				checkMembers(t, deposit.Value)
				checkDerived(t, deposit)
			}
		}
	})
}

func FuzzPointer(f *testing.F) {
	f.Add("/foo/0", []byte(rfc6901))
	f.Add("", []byte(`"\ud8`))
	f.Add("/a~1b", []byte(`{"a/b":["\ud800","c"]}`))
	f.Fuzz(func(t *testing.T, text string, document []byte) {
		pointer, err := upstream.ParsePointer(text)
		if err != nil {
			return
		}
		list, _ := pointer.Strings(document)
		for _, s := range list {
			if !utf8.ValidString(s) || !json.Valid(document) {
				t.Errorf("%q of %q returns %q", text, document, s)
			}
		}
	})
}
