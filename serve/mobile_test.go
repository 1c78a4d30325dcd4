package serve_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
)

// TestMobileClients: requests of the form that Apollo Kotlin 4 and Apollo iOS 1 send are answered in the form that each
// reads.
func TestMobileClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const (
			kotlin       = "multipart/mixed;deferSpec=20220824, application/graphql-response+json, application/json"
			kotlinStream = "multipart/mixed;subscriptionSpec=1.0, application/graphql-response+json, application/json"
			ios          = "multipart/mixed;deferSpec=20220824,application/graphql-response+json,application/json"
			iosStream    = "multipart/mixed;subscriptionSpec=1.0,application/graphql-response+json,application/json"
			jsonType     = "application/graphql-response+json; charset=utf-8"
			parts        = `multipart/mixed;boundary="graphql";deferSpec=20220824`
			events       = `multipart/mixed;boundary="graphql";subscriptionSpec="1.0"`
		)
		g := start(t)
		id := g.transactionIDs(1)[0]
		variables := fmt.Sprintf(`{"id":%q}`, id)
		query := `query Payment($id: ID!) { transaction(id: $id) { __typename id amount } }`
		deferred := `query Later($id: ID!) { transaction(id: $id) { __typename id ... @defer(label: "n") { notifications { __typename } } } }`
		status := g.Query(`query($id: ID!) { transaction(id: $id) { status } }`, map[string]any{"id": id}).Text("transaction", "status")
		subscription := `subscription Watch($id: ID!) { transaction(id: $id, until: [` + status + `]) { __typename id status } }`
		hash := fmt.Sprintf("%x", sha256.Sum256([]byte(query)))
		extensions := fmt.Sprintf(`{"persistedQuery":{"version":1,"sha256Hash":%q},"clientLibrary":{"name":"apollo-kotlin","version":"4.3.3"}}`, hash)
		body := func(name, query, extensions string) string {
			text := fmt.Sprintf(`{"operationName":%q,"variables":%s`, name, variables)
			if query != "" {
				text += fmt.Sprintf(`,"query":%q`, query)
			}
			if extensions != "" {
				text += `,"extensions":` + extensions
			}
			return text + "}"
		}
		tests := []struct {
			name, accept, body string
			status             int
			contentType        string
			has                []string // of the response
		}{
			{"Kotlin: a query", kotlin, body("Payment", query, ""), 200, jsonType, []string{`"transaction":{"__typename":"Transaction","id":"` + id}},
			{"Kotlin: a hash that is not known", kotlin, body("Payment", "", extensions), 200, jsonType, []string{
				"PERSISTED_QUERY_NOT_FOUND", "PersistedQueryNotFound",
			}},
			{"Kotlin: a query with its hash", kotlin, body("Payment", query, extensions), 200, jsonType, []string{`"amount":`}},
			{"Kotlin: a hash", kotlin, body("Payment", "", extensions), 200, jsonType, []string{`"amount":`}},
			{"Kotlin: @defer", kotlin, body("Later", deferred, ""), 200, parts, []string{
				`"hasNext":true}`, `"incremental":[{"data":{"notifications":{"__typename":"TransactionNotifications"}},"path":["transaction"],"label":"n"}]`,
				`"hasNext":false}`, "\r\n--graphql--\r\n",
			}},
			{"Kotlin: a subscription", kotlinStream, body("Watch", subscription, ""), 200, events, []string{
				`{"payload":{"data":{"transaction":`, "\r\n--graphql--\r\n",
			}},
			{"iOS: a query", ios, body("Payment", query, ""), 200, jsonType, []string{`"amount":`}},
			{"iOS: @defer", ios, body("Later", deferred, ""), 200, parts, []string{`"incremental":[{"data":`}},
			{"iOS: a subscription", iosStream, body("Watch", subscription, ""), 200, events, []string{`{"payload":{"data":`}},
		}
		for _, tt := range tests {
			g.row(tt.name, func(t testing.TB, g *gateway) {
				a := g.Post(http.Header{
					"Accept": {tt.accept}, "Content-Type": {"application/json"}, "Apollographql-Client-Name": {"com.example.pix"},
					"Apollographql-Client-Version": {"1.2.3"}, "X-Apollo-Operation-Name": {"Payment"}, "X-Apollo-Operation-Type": {"query"},
				}, []byte(tt.body))
				if a.Status != tt.status || a.Header.Get("Content-Type") != tt.contentType {
					t.Errorf("%d %s: %s", a.Status, a.Header.Get("Content-Type"), a.Body)
				}
				for _, text := range tt.has {
					if !strings.Contains(string(a.Body), text) {
						t.Errorf("%s\nlacks %s", a.Body, text)
					}
				}
			})
		}
		values := url.Values{"operationName": {"Payment"}, "variables": {variables}, "extensions": {extensions}}
		req := g.request(http.MethodGet, "/graphql?"+values.Encode(), "")
		if a := g.Send(req, http.Header{"Accept": {kotlin}, "Apollo-Require-Preflight": {"true"}}); a.Status != http.StatusOK || a.Header.Get("Etag") == "" {
			t.Errorf("GET: %d %s", a.Status, a.Body)
		}
	})
}
