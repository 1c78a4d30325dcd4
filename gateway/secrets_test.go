package gateway_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pixgraph/sandbox/ledger"
	"pixgraph/test/replica"
)

// privateMembers are the names of members whose strings are secrets, at any depth of a record.
func privateMembers() []string {
	return []string{
		"name", "document", "value", "email", "landline", "mobilePhone", "key", "ip", "uri", "endToEnd", "endToEndRefund",
		"externalCode", "id", "referenceId", "userId", "storeId", "zipCode", "street", "webhookUrl", "url",
		"hash", "signature", "x-signature", "X-Signature", "Authorization",
	}
}

// minSecret is the minimum length of a secret. Shorter strings, such as bank codes and house numbers, are found by
// chance.
const minSecret = 8

// secrets has the secret strings of the sandbox, each with the name of its member.
type secrets map[string]string

func (s secrets) add(member, text string) {
	if len(text) < minSecret || strings.HasPrefix(text, "http://127.0.0.1") {
		return
	}
	s[text] = member
	s[url.QueryEscape(text)] = member
	if quoted, err := json.Marshal(text); err == nil {
		s[strings.Trim(string(quoted), `"`)] = member
	}
}

func (s secrets) addToken(token string) {
	for part := range strings.SplitSeq(token, ".") {
		s.add("token", part)
	}
}

// collect adds the secrets of a record.
func (s secrets) collect(member string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, each := range value {
			s.collect(name, each)
		}
	case []any:
		for _, each := range value {
			s.collect(member, each)
		}
	case string:
		if slices.Contains(privateMembers(), member) {
			s.add(member, value)
		}
	}
}

func secretsOf(t *testing.T, box *replica.Sandbox) secrets {
	t.Helper()
	found := secrets{}
	records := box.Ledger()
	for _, entries := range [][]*ledger.Entry{records.Deposits(), records.Withdrawals(), records.Transactions(), records.Notifications()} {
		for _, entry := range entries {
			var record any
			decoder := json.NewDecoder(bytes.NewReader(entry.JSON()))
			decoder.UseNumber() // a record has the number 1E400
			if err := decoder.Decode(&record); err != nil {
				t.Fatal(err)
			}
			found.collect("", record)
		}
	}
	return found
}

// finder searches for all secrets in one pass over a text: a separate search for each of thousands takes ten times as
// long with the race detector. Every secret has at least minSecret bytes; the finder looks up these first bytes,
// which fit into a word.
type finder struct {
	secrets secrets
	begins  map[uint64][]string // the secrets by their first bytes
	maybe   []bool              // by a hash of the first bytes: false if no secret has them
}

func newFinder(s secrets) *finder {
	f := &finder{secrets: s, begins: map[uint64][]string{}, maybe: make([]bool, 1<<20)}
	for secret := range s {
		var begin uint64
		for i := range minSecret {
			begin = begin<<8 | uint64(secret[i])
		}
		f.begins[begin] = append(f.begins[begin], secret)
		f.maybe[slot(begin)] = true
	}
	return f
}

func slot(begin uint64) uint64 { return begin * 0x9e3779b97f4a7c15 >> 44 }

// in returns the names of the members whose values are in the text.
func (f *finder) in(text string) []string {
	var found []string
	var last uint64 // the last minSecret bytes
	for i := range len(text) {
		last = last<<8 | uint64(text[i])
		if !f.maybe[slot(last)] || i < minSecret-1 {
			continue
		}
		for _, secret := range f.begins[last] {
			member := f.secrets[secret]
			if strings.HasPrefix(text[i-(minSecret-1):], secret) && !slices.Contains(found, member) {
				found = append(found, member)
			}
		}
	}
	return found
}

// TestLeakSearch: the finder finds secrets in each encoding.
func TestLeakSearch(t *testing.T) {
	s := secrets{}
	s.collect("", map[string]any{
		"payer": map[string]any{"name": "José & Filhos Ltda", "document": "***.783.097-**", "type": "PF"}, "tags": []any{"a-long-tag-here"},
	})
	s.addToken("eyJhbGciOiJFUzI1NiJ9.c2VjcmV0LXBheWxvYWQ.c2lnbmF0dXJl")
	s.add("key", "José & Cia")
	f := newFinder(s)
	tests := []struct {
		name, text string
		want       []string
	}{
		{"no secret", `{"msg":"operation","name":"Lists","tag":"a-long-tag-here"}`, nil},
		{"a name", `{"cause":"José & Filhos Ltda is not an amount"}`, []string{"name"}},
		{"a name in JSON", "{\"cause\":\"José \\u0026 Filhos Ltda\"}", []string{"name"}},
		{"a name in a URL", "GET /withdrawal?x=Jos%C3%A9+%26+Filhos+Ltda", []string{"name"}},
		{"a document", "***.783.097-**", []string{"document"}},
		{"a part of a token", "Bearer c2lnbmF0dXJl", []string{"token"}},
		{"all but the last byte", "Bearer c2lnbmF0dXJ", nil},
		{"two with the same first bytes", "José & Cia, José & Filhos Ltda", []string{"key", "name"}},
		{"within another text", "x***.783.097-**x", []string{"document"}},
		{"a short text", "José", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := f.in(tt.text); !slices.Equal(got, tt.want) {
				t.Errorf("found %v, want %v", got, tt.want)
			}
		})
	}
}
