package sandbox_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"testing"

	"pixgraph/upstream/sandbox"
)

// conformance checks the rules of docs/upstream-api.md, only over HTTP. By
// default it tests a sandbox; with PIXGRAPH_CONFORMANCE_CORE_URL,
// …_DISPATCHER_URL, …_TOKEN and …_TOKEN_WITHOUT_SCOPE it tests any other
// implementation (and needs …_NOTIFICATION_ID if its transactions do not
// contain the ids of their notifications). It depends on no particular record:
// ids come from the lists.
type conformance struct {
	core, dispatcher string
	token            string // full access
	narrow           string // valid, without get_dispatcher
	notificationID   string // "" = from a transaction's metadata
	// sandbox is nil for another implementation. Behaviour that the spec does not show is tested only with the sandbox.
	sandbox *sandbox.Sandbox
}

func TestConformance(t *testing.T) {
	c := target(t)
	t.Run("deposit", c.deposits)
	t.Run("withdrawal", c.withdrawals)
	t.Run("transaction", c.transactions)
	t.Run("notification", c.notifications)
}

func target(t *testing.T) *conformance {
	const prefix = "PIXGRAPH_CONFORMANCE_"
	if os.Getenv(prefix+"CORE_URL") == "" {
		s := start(t, sandbox.Config{Records: 400}) // four full pages
		return &conformance{core: s.CoreURL(), dispatcher: s.DispatcherURL(), token: s.Token(), narrow: s.Token(""), sandbox: s}
	}
	need := func(name string) string {
		v := os.Getenv(prefix + name)
		if v == "" {
			t.Fatalf("%s%s must also be set", prefix, name)
		}
		return v
	}
	return &conformance{
		core: need("CORE_URL"), dispatcher: need("DISPATCHER_URL"),
		token: need("TOKEN"), narrow: need("TOKEN_WITHOUT_SCOPE"),
		notificationID: os.Getenv(prefix + "NOTIFICATION_ID"),
	}
}

// get sends a GET with the full token.
func (c *conformance) get(t *testing.T, address string) reply {
	t.Helper()
	return c.getAs(t, c.token, address)
}

func (c *conformance) getAs(t *testing.T, token, address string) reply {
	t.Helper()
	got, err := fetch(t.Context(), newClient(), token, address)
	if err != nil {
		t.Fatalf("GET: %v", err)
	}
	return got
}

// object decodes a response that must be 200 and a JSON object.
func object(t *testing.T, got reply) map[string]json.RawMessage {
	t.Helper()
	if got.status != http.StatusOK {
		t.Fatalf("status %d, want 200", got.status)
	}
	var o map[string]json.RawMessage
	if err := json.Unmarshal(got.body, &o); err != nil {
		t.Fatalf("body is not a JSON object: %v", err)
	}
	return o
}

// listPage is the response of a list (spec 4.1, 4.2).
type listPage struct {
	Total, TotalPages, CurrentPage, PerPage int
	Data                                    []map[string]json.RawMessage
}

func (c *conformance) page(t *testing.T, address string) listPage {
	t.Helper()
	got := c.get(t, address)
	o := object(t, got)
	for _, name := range []string{"total", "totalPages", "currentPage", "perPage", "data"} {
		if _, ok := o[name]; !ok {
			t.Errorf("no %s in the response", name)
		}
	}
	var p listPage
	if err := json.Unmarshal(got.body, &p); err != nil {
		t.Fatalf("body is not a page: %v", err)
	}
	return p
}

// text returns a string field of a record, "" if it is absent or null.
func text(t *testing.T, record map[string]json.RawMessage, name string) string {
	t.Helper()
	var s string
	if raw, ok := record[name]; ok {
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatalf("%s is not a string: %v", name, err)
		}
	}
	return s
}

// sample finds the first non-empty value of an optional string.
func sample(t *testing.T, p listPage, value func(map[string]json.RawMessage) string) string {
	t.Helper()
	for _, record := range p.Data {
		if v := value(record); v != "" {
			return v
		}
	}
	t.Fatal("no record of the first page has a value to look for")
	return ""
}

// validation is a query string and the expected status.
type validation struct {
	name   string
	query  string
	status int
}

func (c *conformance) validations(t *testing.T, address string, rows []validation) {
	t.Helper()
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			if got := c.get(t, address+"?"+tt.query); got.status != tt.status {
				t.Errorf("?%s: status %d, want %d", tt.query, got.status, tt.status)
			}
		})
	}
}

// credentials checks spec 5 for one endpoint. The good address must
// succeed with a full token; the bad one must violate a rule that is checked
// later.
func (c *conformance) credentials(t *testing.T, good, bad string) {
	send := func(t *testing.T, address string, header http.Header) reply {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = header
		got, err := roundTrip(newClient(), req)
		if err != nil {
			t.Fatalf("GET: %v", err)
		}
		return got
	}
	tests := []struct {
		name   string
		header http.Header
	}{
		{"missing", http.Header{}},
		{"empty", http.Header{"Authorization": {""}}},
		{"scheme alone", http.Header{"Authorization": {"Bearer"}}},
		{"another scheme", http.Header{"Authorization": {"Basic " + c.token}}},
		{"no scheme", http.Header{"Authorization": {c.token}}},
		{"garbage", http.Header{"Authorization": {"Bearer garbage"}}},
		{"tampered", http.Header{"Authorization": {"Bearer " + tampered(c.token)}}},
	}
	for _, tt := range tests {
		t.Run("401 "+tt.name, func(t *testing.T) {
			for _, address := range []string{good, bad} {
				got := send(t, address, tt.header)
				if got.status != http.StatusUnauthorized {
					t.Errorf("%s: status %d, want 401", path(address), got.status)
				}
				if got.header.Get("WWW-Authenticate") == "" {
					t.Errorf("%s: 401 without WWW-Authenticate (RFC 9110, section 11.6.1)", path(address))
				}
			}
		})
	}
	t.Run("200 with a token", func(t *testing.T) {
		got := send(t, good, http.Header{"Authorization": {"Bearer " + c.token}})
		if got.status != http.StatusOK {
			t.Errorf("status %d, want 200", got.status)
		}
		if c.sandbox != nil && got.header.Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("Content-Type %q", got.header.Get("Content-Type"))
		}
	})
	if c.sandbox != nil {
		t.Run("sandbox", func(t *testing.T) { c.forgeries(t, good) })
	}
}

// tampered modifies a character in the middle of the token's payload.
func tampered(token string) string {
	b := []byte(token)
	i := len(b) / 2
	if b[i] == 'A' {
		b[i] = 'B'
	} else {
		b[i] = 'A'
	}
	return string(b)
}

func path(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "?"
	}
	return u.EscapedPath()
}
