package sandbox_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// transactions is spec 4.3.
func (c *conformance) transactions(t *testing.T) {
	id := c.transactionID(t)
	address := c.core + "/transaction/"
	t.Run("credentials", func(t *testing.T) { c.credentials(t, address+id, address+"x") })
	t.Run("record", func(t *testing.T) {
		got := c.get(t, address+id)
		if o := object(t, got); !strings.EqualFold(text(t, o, "id"), id) {
			t.Errorf("id %s, want %s", o["id"], id)
		}
		if err := transactionShape(got.body); err != nil {
			t.Error(err)
		}
	})
	statuses := []struct {
		name, id string
		status   int
	}{
		{"unknown", uuid.NewString(), http.StatusNotFound},
		{"word", "abc", http.StatusUnprocessableEntity},
		{"number", "42", http.StatusUnprocessableEntity},
		{"one digit short", id[:35], http.StatusUnprocessableEntity},
		{"one digit long", id + "0", http.StatusUnprocessableEntity},
		{"not hexadecimal", id[:35] + "g", http.StatusUnprocessableEntity},
		{"without hyphens", strings.ReplaceAll(id, "-", ""), http.StatusUnprocessableEntity},
		{"braces", "%7B" + id + "%7D", http.StatusUnprocessableEntity},
		{"urn", "urn:uuid:" + id, http.StatusUnprocessableEntity},
		{"trailing space", id + "%20", http.StatusUnprocessableEntity},
	}
	for _, tt := range statuses {
		t.Run(tt.name, func(t *testing.T) {
			if got := c.get(t, address+tt.id); got.status != tt.status {
				t.Errorf("status %d, want %d", got.status, tt.status)
			}
		})
	}
	if c.sandbox != nil {
		t.Run("sandbox", func(t *testing.T) { c.transactionPaths(t, address, id) })
	}
}

// transactionPaths checks ids in paths, for behaviour that the spec does not show.
func (c *conformance) transactionPaths(t *testing.T, address, id string) {
	v7, err := uuid.NewV7()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, path string
		status     int
	}{
		{"upper case", strings.ToUpper(id), http.StatusOK},
		{"escaped letters", strings.ReplaceAll(id, "-", "%2D"), http.StatusOK},
		{"unknown parameter", id + "?colour=red", http.StatusOK},
		{"unknown of another version", v7.String(), http.StatusNotFound},
		{"nil", uuid.Nil.String(), http.StatusNotFound},
		{"escaped slash is part of the id", id + "%2Fx", http.StatusUnprocessableEntity},
		{"escaped parent is part of the id", "..%2F" + id, http.StatusUnprocessableEntity},
		{"escaped question mark is part of the id", id + "%3Fx", http.StatusUnprocessableEntity},
		{"escaped fragment is part of the id", id + "%23x", http.StatusUnprocessableEntity},
		{"an additional segment", id + "/x", http.StatusNotFound},
		{"a trailing slash", id + "/", http.StatusNotFound},
		{"no id", "", http.StatusNotFound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := c.get(t, address+tt.path); got.status != tt.status {
				t.Errorf("status %d, want %d", got.status, tt.status)
			}
		})
	}
	root := strings.TrimSuffix(c.core, "/core/v1")
	for _, p := range []string{"/", "/deposit", "/transaction/" + id, "/core", "/core/v1", "/core/v1/", "/core/v1/deposits",
		"/core/v1/deposit/", "/core/v1/deposit/" + id, "/core/v1//deposit", "/core/v1/withdrawal/" + id, "/core/v1/transaction",
		"/core/v1/request/" + id, "/dispatcher/v1/request/" + id} {
		t.Run("unknown path "+strings.ReplaceAll(p, "/", "|"), func(t *testing.T) {
			if got := c.get(t, root+p); got.status != http.StatusNotFound {
				t.Errorf("status %d, want 404", got.status)
			}
		})
	}
}

// transactionID finds a transaction: no endpoint lists transactions, but some
// deposits are the same payment as a transaction and have its id.
func (c *conformance) transactionID(t *testing.T) string {
	t.Helper()
	for _, record := range c.page(t, c.core+"/deposit").Data {
		id := text(t, record, "id")
		if c.get(t, c.core+"/transaction/"+id).status == http.StatusOK {
			return id
		}
	}
	t.Fatal("no deposit of the first page shares its id with a transaction")
	return ""
}

// notifications is spec 4.4.
func (c *conformance) notifications(t *testing.T) {
	id := c.notification(t)
	address := c.dispatcher + "/request/"
	t.Run("credentials", func(t *testing.T) { c.credentials(t, address+id, address+"unknown") })
	t.Run("record", func(t *testing.T) {
		got := c.get(t, address+id)
		if o := object(t, got); text(t, o, "id") != id {
			t.Errorf("id %s, want %s", o["id"], id)
		}
		if err := notificationShape(got.body); err != nil {
			t.Error(err)
		}
	})
	tests := []struct {
		name, token, id string
		status          int
	}{
		{"403 without the scope", c.narrow, id, http.StatusForbidden},
		{"403 comes before 404", c.narrow, "unknown", http.StatusForbidden},
		{"404 of an unknown id", c.token, strings.Repeat("f", 24), http.StatusNotFound},
		{"404 of an unknown UUID", c.token, uuid.NewString(), http.StatusNotFound},
		{"404 of a malformed id", c.token, "%21", http.StatusNotFound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := c.getAs(t, tt.token, address+tt.id); got.status != tt.status {
				t.Errorf("status %d, want %d", got.status, tt.status)
			}
		})
	}
	t.Run("the core needs no scope", func(t *testing.T) {
		if got := c.getAs(t, c.narrow, c.core+"/deposit"); got.status != http.StatusOK {
			t.Errorf("status %d, want 200", got.status)
		}
	})
	if c.sandbox != nil {
		t.Run("sandbox", func(t *testing.T) {
			got := c.getAs(t, c.narrow, address+id)
			if challenge := got.header.Get("WWW-Authenticate"); !strings.Contains(challenge, `error="insufficient_scope"`) {
				t.Errorf("WWW-Authenticate %q", challenge)
			}
			if got := c.get(t, c.dispatcher+"/deposit"); got.status != http.StatusNotFound {
				t.Errorf("deposits on the dispatcher: status %d, want 404", got.status)
			}
			if got := c.get(t, address+id+"%2Fx"); got.status != http.StatusNotFound {
				t.Errorf("escaped slash: status %d, want 404", got.status)
			}
		})
	}
}

// notification finds a notification's id: in the environment, or in the
// metadata of a transaction that has the id of a deposit.
func (c *conformance) notification(t *testing.T) string {
	t.Helper()
	if c.notificationID != "" {
		return c.notificationID
	}
	for _, record := range c.page(t, c.core+"/deposit").Data {
		got := c.get(t, c.core+"/transaction/"+text(t, record, "id"))
		var transaction struct {
			Metadata struct{ NotificationIDs []string }
		}
		if got.status != http.StatusOK || json.Unmarshal(got.body, &transaction) != nil {
			continue
		}
		for _, id := range transaction.Metadata.NotificationIDs {
			if c.get(t, c.dispatcher+"/request/"+id).status == http.StatusOK {
				return id
			}
		}
	}
	t.Fatal("no transaction names a notification that exists; PIXGRAPH_CONFORMANCE_NOTIFICATION_ID can name one")
	return ""
}
