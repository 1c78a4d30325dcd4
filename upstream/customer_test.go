package upstream_test

import (
	"testing"

	"pixgraph/upstream"
)

func TestContact(t *testing.T) {
	tests := []struct {
		name, raw, value string // value as bytes; "" for null
		bad              bool
	}{
		{name: "string", raw: `"maria@correio.example"`, value: `"maria@correio.example"`},
		{name: "escapes are kept", raw: `"\u006d@x"`, value: `"\u006d@x"`},
		{name: "object with a value", raw: `{"value": "+551133334444", "verified": false}`, value: `"+551133334444"`},
		{name: "object without a value", raw: `{"address": "maria@correio.example"}`},
		{name: "object with a null value", raw: `{"value":null}`},
		{name: "object with a number", raw: `{"value":551133334444}`},
		{name: "empty object", raw: `{}`},
		{name: "string that is not Unicode", raw: `"\ud800"`, bad: true},
		{name: "object that is not Unicode elsewhere", raw: `{"value":"x","a":"\ud800"}`, bad: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			contact, err := upstream.Member(deposit(t, "email", " "+tt.raw+" "), "email", upstream.ReadContact)
			if tt.bad {
				wantInvalid(t, err, "email")
				return
			}
			must(t, err)
			if got := string(contact.Raw()); got != tt.raw {
				t.Errorf("raw = %s, want %s", got, tt.raw)
			}
			if got := string(contact.Value()); got != tt.value {
				t.Errorf("value = %s, want %s", got, tt.value)
			}
		})
	}
}
