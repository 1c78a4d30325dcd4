package message

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pixgraph/graph/apierror"
)

// FuzzBody compares parseBody with encoding/json: it decodes to the same values, and rejects only text that is not JSON
// to encoding/json either, except for unpaired surrogates.
func FuzzBody(f *testing.F) {
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := parseBody(body)
		if err != nil {
			wantAPIError(t, err)
			if errors.Is(err, ErrJSON) && json.Valid(body) && utf8.Valid(body) && !bytes.Contains(body, []byte(`\u`)) {
				t.Errorf("rejected JSON: %q", body)
			}
			return
		}
		var want struct {
			Query         *string
			OperationName string
			DocumentID    string `json:"documentId"`
			Variables     map[string]any
			Extensions    map[string]any
		}
		decodeExactly(t, body, &want)
		normalize(want.Variables)
		normalize(want.Extensions)
		got := members{"", want.Query != nil, want.OperationName, want.DocumentID, want.Variables, want.Extensions}
		if want.Query != nil {
			got.query = *want.Query
		}
		if !reflect.DeepEqual(m, got) {
			t.Errorf("%q is %+v, encoding/json decodes %+v", body, m, got)
		}
	})
}

// normalize writes the integers of a decoded value without fraction and exponent, in another way than decoder.
func normalize(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			value[name] = normalize(member)
		}
	case []any:
		for i, element := range value {
			value[i] = normalize(element)
		}
	case json.Number:
		float, err := value.Float64()
		if err == nil && strings.ContainsAny(string(value), ".eE") && math.Abs(float) < 1<<53 && float == float64(int64(float)) {
			return json.Number(strconv.FormatFloat(float+0, 'f', -1, 64)) // + 0 removes the sign of zero
		}
	}
	return value
}

// decodeExactly decodes an object with encoding/json, which alone would also accept names in another case.
func decodeExactly(t *testing.T, body []byte, to any) {
	t.Helper()
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil {
		t.Fatalf("accepted text that is not JSON: %q: %v", body, err)
	}
	known := map[string]json.RawMessage{}
	for _, name := range []string{"query", "operationName", "documentId", "variables", "extensions"} {
		if value, ok := raw[name]; ok {
			known[name] = value
		}
	}
	text, err := json.Marshal(known)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(to); err != nil {
		t.Fatalf("accepted members of other types: %q: %v", body, err)
	}
}

// wantAPIError fails the test unless the error is an apierror.Error with status 400.
func wantAPIError(t *testing.T, err error) {
	t.Helper()
	if own := apierror.Of(err); own == nil || own.Status != http.StatusBadRequest {
		t.Errorf("%T %v", err, err)
	}
}

// FuzzURL: a URL is decoded as by net/url, and as a body with the same members.
func FuzzURL(f *testing.F) {
	f.Fuzz(func(t *testing.T, rawQuery string) {
		m, err := parseURL(rawQuery)
		if err != nil {
			wantAPIError(t, err)
			return
		}
		values, err := url.ParseQuery(rawQuery)
		if err != nil {
			t.Fatal(err)
		}
		body := map[string]any{}
		for _, name := range []string{"query", "operationName", "documentId"} {
			if values.Has(name) {
				body[name] = values.Get(name)
			}
		}
		for _, name := range []string{"variables", "extensions"} {
			if text := values.Get(name); text != "" {
				body[name] = json.RawMessage(text)
			}
		}
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatalf("accepted text that is not JSON: %q", rawQuery)
		}
		posted, err := parseBody(text)
		own := apierror.Of(err)
		if limited := own != nil && (own.Limit == LimitValues || own.Limit == LimitDepth); !limited && (err != nil || !reflect.DeepEqual(m, posted)) {
			t.Errorf("%q is %+v, its body %+v: %v", rawQuery, m, posted, err)
		}
	})
}
