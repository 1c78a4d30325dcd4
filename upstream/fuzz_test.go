package upstream_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pixgraph/upstream"
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
		if err != nil {
			f.Fatal(err)
		}
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

// checkLeaves calls every accessor of a record and of its nested objects, and checks that each value that is copied
// into responses is valid JSON and UTF-8.
func checkLeaves(t *testing.T, record reflect.Value) {
	for i := range record.NumMethod() {
		name := record.Type().Method(i).Name
		results := record.Method(i).Call(nil)
		if len(results) == 2 && !results[1].IsNil() {
			if kind := upstream.KindOf(results[1].Interface().(error)); kind != upstream.KindInvalidResponse {
				t.Errorf("%s: an error of kind %v", name, kind)
			}
		}
		checkLeaf(t, name, results[0])
	}
}

func checkLeaf(t *testing.T, name string, value reflect.Value) {
	var raw []byte
	switch leaf := value.Interface().(type) {
	case upstream.Text:
		raw = leaf
		var s string
		if leaf != nil && (json.Unmarshal(leaf, &s) != nil || s != leaf.String() || strings.Count(s, "\ufffd") > replacements(leaf)) {
			t.Errorf("%s: %q reads as %q", name, leaf, leaf.String())
		}
	case *upstream.Text:
		if leaf != nil {
			checkLeaf(t, name, reflect.ValueOf(*leaf))
		}
		return
	case upstream.Decimal:
		raw = leaf
	case upstream.JSON:
		raw = leaf
	default:
		switch {
		case value.Kind() == reflect.Pointer && !value.IsNil() && value.Elem().Kind() == reflect.Struct:
			checkLeaves(t, value)
		case value.Kind() == reflect.Slice:
			for i := range value.Len() {
				element := value.Index(i)
				if element.Field(0).IsNil() == element.Field(1).IsNil() {
					t.Errorf("%s: element %d is %v", name, i, element)
				}
				checkLeaf(t, name, element.Field(0))
			}
		}
		return
	}
	if raw != nil && (!json.Valid(raw) || !utf8.Valid(raw)) {
		t.Errorf("%s returned %q", name, raw)
	}
}

// checkDerived checks that derived fields are valid JSON and UTF-8.
func checkDerived(t *testing.T, record any) {
	raw := upstream.RawOfAny(record.(upstream.AnyResource))
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

// decoders read an object as each type with accessors.
var decoders = []func([]byte) (any, error){
	decode[upstream.Deposit], decode[upstream.Withdrawal], decode[upstream.Transaction], decode[upstream.Notification],
	decode[upstream.DepositStatusHistory], decode[upstream.WithdrawalStatusHistory], decode[upstream.TransactionStatusHistory],
	decode[upstream.NotificationStatusHistory], decode[upstream.Execution], decode[upstream.ExecutionResponse],
	decode[upstream.PixResponse], decode[upstream.AccountHolder], decode[upstream.BankAccount], decode[upstream.PixKey],
	decode[upstream.PaymentReceipt], decode[upstream.Customer], decode[upstream.Seller], decode[upstream.Address], decode[upstream.Item],
}

func decode[T upstream.Resource](raw []byte) (any, error) { return upstream.Decode[T](raw) }

func FuzzRecord(f *testing.F) {
	addSamples(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		isObject := json.Valid(raw) && strings.HasPrefix(strings.TrimLeft(string(raw), " \t\r\n"), "{")
		for _, decode := range decoders {
			record, err := decode(raw)
			if (err == nil) != isObject {
				t.Fatalf("error = %v, object: %v", err, isObject)
			}
			if err == nil {
				checkLeaves(t, reflect.ValueOf(record))
				checkDerived(t, record)
			}
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
			if deposit, err := record.Decode(); err == nil {
				checkLeaves(t, reflect.ValueOf(deposit))
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
