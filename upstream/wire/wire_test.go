package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pixgraph/upstream/wire"
)

func FuzzEnd(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-0.5e+3,"x\u00e9\\\"",true,false,null,{}]}`, "\"\x00\"", `[1,]`, `01`, `-`, `"\u12g4"`, ` { "a" : [ ] } x`, strings.Repeat("[", 300),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		start := wire.Space(document, 0)
		end := wire.End(document, start)
		valid := end >= 0 && wire.Space(document, end) == len(document)
		if valid != json.Valid(document) {
			t.Fatalf("%q: valid %v", document, valid)
		}
	})
}

// FuzzIndex holds the index of an object to what encoding/json makes of it, and that of a list to that of its elements.
func FuzzIndex(f *testing.F) {
	for _, seed := range []string{
		`{"data":[{"a":1,"b":[2]},5,{"a":{},"a":"x"},null,[]],"total":1}`, `{"data":5}`, `{"data":[{}],"data":[7]}`, `{"d\u0061ta":[{}]}`,
		` { "data" : [ { "id" : "a" } , { } ] } `, `{"a":1`, `[]`, `{}{}`, `{"a\\":{"data":[]}}`, `{"data":[1],"data":5}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		var want map[string]json.RawMessage
		good := json.Unmarshal(document, &want) == nil && want != nil
		object, err := wire.Index(document)
		listed, elements, listErr := wire.IndexList(document, "data", 50)
		if good != (err == nil) || good != (listErr == nil || errors.Is(listErr, wire.ErrTooMany)) {
			t.Fatalf("%q: %v, %v", document, err, listErr)
		}
		if err != nil || listErr != nil {
			return
		}
		if object.Len() != listed.Len() {
			t.Fatalf("%q: %d and %d members", document, object.Len(), listed.Len())
		}
		names := map[string]bool{}
		for i := range object.Len() {
			if name := string(object.Name(i)); !names[name] {
				names[name] = true
				if got := object.Get(name); !bytes.Equal(got, listed.Get(name)) || !json.Valid(got) || bytes.TrimSpace(got)[0] != got[0] {
					t.Fatalf("%q: %q is %q", document, name, got)
				}
			}
		}
		for name, value := range want {
			if strings.ToValidUTF8(name, "") == name && !strings.ContainsRune(name, '\uFFFD') && !bytes.Equal(object.Get(name), bytes.TrimSpace(value)) {
				t.Fatalf("%q: %q is %q, want %q", document, name, object.Get(name), value)
			}
		}
		checkElements(t, object.Get("data"), elements)
	})
}

func checkElements(t *testing.T, list []byte, elements []wire.Element) {
	t.Helper()
	raws, err := wire.Split(list, 50)
	if err != nil {
		raws = nil
	}
	if object, _ := wire.Index([]byte("{}")); len(raws) != len(elements) || object.Len() != 0 {
		t.Fatalf("%d elements, want %d", len(elements), len(raws))
	}
	for i, raw := range raws {
		alone, err := wire.Index(raw)
		if e := elements[i]; !bytes.Equal(e.Raw, raw) || e.OK != (err == nil) || e.Object.Len() != alone.Len() {
			t.Fatalf("element %d is %q, want %q", i, e.Raw, raw)
		}
		for m := range alone.Len() {
			if e := elements[i].Object; !bytes.Equal(e.Name(m), alone.Name(m)) || !bytes.Equal(e.Value(m), alone.Value(m)) {
				t.Fatalf("member %d of element %d is %q", m, i, e.Value(m))
			}
		}
	}
}

func TestBounds(t *testing.T) {
	list := func(n int) []byte {
		return []byte(`{"data":[` + strings.TrimSuffix(strings.Repeat("{},", n), ",") + `]}`)
	}
	if _, elements, err := wire.IndexList(list(7), "data", 7); err != nil || len(elements) != 7 {
		t.Errorf("7 of 7: %d, %v", len(elements), err)
	}
	if _, _, err := wire.IndexList(list(8), "data", 7); !errors.Is(err, wire.ErrTooMany) {
		t.Errorf("8 of 7: %v", err)
	}
	if _, err := wire.Split([]byte("[1,2,3]"), 2); !errors.Is(err, wire.ErrTooMany) {
		t.Errorf("3 of 2: %v", err)
	}
	for depth, want := range map[int]bool{9_999: true, 10_001: false} {
		deep := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		if got := wire.End([]byte(deep), 0) == len(deep); got != want {
			t.Errorf("%d levels: %v", depth, got)
		}
	}
}

func BenchmarkIndexList(b *testing.B) {
	record := fmt.Sprintf(`{"id":"f2dc7925-3b96-4b1f-a7ad-3351051ce9fc","acquirer":"Banco","amount":5170,"status":"PAID","statusHistory":[%s],
		"createdAt":"2026-06-30T05:40:26.430Z","payer":{"type":"PF","name":"Ana","document":"***","bankAccount":{"type":"CACC","digit":"1","ispb":"00000000"},
		"pix":{"key":"ana@example.com","type":"EMAIL"}},"pixResponse":{"uri":"0002","qrCodeBase64":"%s","expirationDate":"2026"}}`,
		strings.TrimSuffix(strings.Repeat(`{"status":"PENDING","date":"2026-06-30T05:40:26.430Z","durationInMilliseconds":665},`, 5), ","), strings.Repeat("iVBORw0KGgo", 270))
	document := []byte(`{"total":100,"data":[` + strings.TrimSuffix(strings.Repeat(record+",", 100), ",") + `]}`)
	b.SetBytes(int64(len(document)))
	b.ReportAllocs()
	for b.Loop() {
		if _, elements, err := wire.IndexList(document, "data", 1000); err != nil || len(elements) != 100 {
			b.Fatal(err)
		}
	}
}
