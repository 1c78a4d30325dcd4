package upstream_test

import (
	"testing"

	"pixgraph/upstream"
)

func TestDocument(t *testing.T) {
	tests := []struct {
		name, raw   string
		value, kind string // as bytes; "" for null
		badField    bool   // the complete document is rejected
		badValue    bool
		badType     bool
	}{
		{name: "string", raw: `"***.456.789-**"`, value: `"***.456.789-**"`},
		{name: "empty string", raw: `""`, value: `""`},
		{name: "object", raw: `{"value":"12345678909","type":"CPF"}`, value: `"12345678909"`, kind: `"CPF"`},
		{name: "object with an unknown type", raw: `{"type":"RG","value":"1"}`, value: `"1"`, kind: `"RG"`},
		{name: "object without type", raw: `{"value":"12345678909"}`, value: `"12345678909"`},
		{name: "object with null type", raw: `{"value":"12345678909","type":null}`, value: `"12345678909"`},
		{name: "object without value", raw: `{"type":"CPF"}`, kind: `"CPF"`, badValue: true},
		{name: "object with null value", raw: `{"value":null,"type":"CPF"}`, kind: `"CPF"`, badValue: true},
		{name: "object with a number", raw: `{"value":12345678909,"type":"CPF"}`, kind: `"CPF"`, badValue: true},
		{name: "object with a type that is not a string", raw: `{"value":"1","type":7}`, value: `"1"`, badType: true},
		{name: "string that is not Unicode", raw: `"\ud800"`, badField: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			customer, err := upstream.Decode[upstream.Customer]([]byte(`{"document":` + tt.raw + `}`))
			must(t, err)
			seller, err := upstream.Decode[upstream.Seller]([]byte(`{"document":` + tt.raw + `}`))
			must(t, err)
			for _, read := range []func() (*upstream.Document, error){customer.Document, seller.Document} {
				document, err := read()
				if tt.badField {
					wantInvalid(t, err, "document")
					continue
				}
				must(t, err)
				value, err := document.Value()
				if tt.badValue {
					wantInvalid(t, err, "value")
				} else if err != nil || string(value) != tt.value {
					t.Errorf("value = %s, %v; want %s", value, err, tt.value)
				}
				kind, err := document.Type()
				if tt.badType {
					wantInvalid(t, err, "type")
				} else if err != nil || string(kind) != tt.kind {
					t.Errorf("type = %s, %v; want %s", kind, err, tt.kind)
				}
			}
		})
	}
}

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
			c, err := upstream.Decode[upstream.Customer]([]byte(`{"email": ` + tt.raw + ` ,"landline":` + tt.raw + `,"mobilePhone":` + tt.raw + `}`))
			must(t, err)
			for member, read := range map[string]func() (*upstream.Contact, error){
				"email": c.Email, "landline": c.Landline, "mobilePhone": c.MobilePhone,
			} {
				contact, err := read()
				if tt.bad {
					wantInvalid(t, err, member)
					continue
				}
				must(t, err)
				if got := string(contact.Raw()); got != tt.raw {
					t.Errorf("%s: raw = %s, want %s", member, got, tt.raw)
				}
				if got := string(contact.Value()); got != tt.value {
					t.Errorf("%s: value = %s, want %s", member, got, tt.value)
				}
			}
		})
	}
}
