package main

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pixgraph/upstream/sandbox"
	"pixgraph/upstream/sandbox/ledger"
)

// privateMembers are the members of records whose texts are searched for, and those of the objects in them.
func privateMembers() []string {
	return []string{
		"name", "document", "value", "email", "landline", "mobilePhone", "key", "ip", "uri", "endToEnd", "endToEndRefund",
		"externalCode", "id", "referenceId", "userId", "storeId", "zipCode", "street", "webhookUrl", "url", "hash", "signature", "x-signature", "X-Signature", "Authorization",
	}
}

// leastSecret is the length below which a text is found by chance: banks' codes and house numbers.
const leastSecret = 8

// secrets collects the texts of the sandbox that may not be found, each with the name of its member.
type secrets map[string]string

func (s secrets) add(member, text string) {
	if len(text) < leastSecret || strings.HasPrefix(text, "http://127.0.0.1") {
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

// collect walks a record.
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

func secretsOf(t *testing.T, box *sandbox.Sandbox) secrets {
	t.Helper()
	found := secrets{}
	records := box.Ledger()
	for _, entries := range [][]*ledger.Entry{records.Deposits(), records.Withdrawals(), records.Transactions(), records.Notifications()} {
		for _, entry := range entries {
			var record any
			decoder := json.NewDecoder(bytes.NewReader(entry.JSON()))
			decoder.UseNumber() // 1E400 is among them
			if err := decoder.Decode(&record); err != nil {
				t.Fatal(err)
			}
			found.collect("", record)
		}
	}
	return found
}

// in returns the members whose texts are in a text.
func (s secrets) in(text string) []string {
	var found []string
	for secret, member := range s {
		if strings.Contains(text, secret) && !slices.Contains(found, member) {
			found = append(found, member)
		}
	}
	return found
}

// TestLeakSearch finds what it is given, so that finding nothing means something.
func TestLeakSearch(t *testing.T) {
	s := secrets{}
	s.collect("", map[string]any{"payer": map[string]any{"name": "José & Filhos Ltda", "document": "***.783.097-**", "type": "PF"}, "tags": []any{"a-long-tag-here"}})
	s.addToken("eyJhbGciOiJFUzI1NiJ9.c2VjcmV0LXBheWxvYWQ.c2lnbmF0dXJl")
	tests := []struct {
		name, text string
		want       []string
	}{
		{"nothing", `{"msg":"operation","name":"Lists","tag":"a-long-tag-here"}`, nil},
		{"a name", `{"cause":"José & Filhos Ltda is no amount"}`, []string{"name"}},
		{"a name in JSON", "{\"cause\":\"José \\u0026 Filhos Ltda\"}", []string{"name"}},
		{"a name in a URL", "GET /withdrawal?x=Jos%C3%A9+%26+Filhos+Ltda", []string{"name"}},
		{"a document", "***.783.097-**", []string{"document"}},
		{"a part of a token", "Bearer c2lnbmF0dXJl", []string{"token"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := s.in(tt.text); !slices.Equal(got, tt.want) {
				t.Errorf("found %v, want %v", got, tt.want)
			}
		})
	}
}
