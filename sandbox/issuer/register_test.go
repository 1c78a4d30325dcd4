package issuer_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pixgraph/sandbox/issuer"
)

// TestRegister: a client gets an id of its own, and learns what it can use, whatever it asked for.
func TestRegister(t *testing.T) {
	iss := open(t)
	register := func(body string) (int, string) {
		w := httptest.NewRecorder()
		iss.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/oidc"+issuer.PathRegister, strings.NewReader(body)))
		return w.Code, w.Body.String()
	}
	const valid = `{"client_name":"x","redirect_uris":["https://example.com/cb","http://localhost:33418"],"grant_types":["refresh_token"],"client_id":"mine"}`
	seen := map[string]bool{}
	for range 2 {
		status, body := register(valid)
		id, rest, _ := strings.Cut(strings.TrimPrefix(body, `{"client_id":"`), `"`)
		if want := `,"client_id_issued_at":1772625600,"client_name":"x","redirect_uris":["http://localhost:33418"],` +
			`"grant_types":["authorization_code"],"response_types":["code"],"token_endpoint_auth_method":"none"}`; status != http.StatusCreated ||
			id == "mine" || seen[id] || strings.TrimSpace(rest) != want {
			t.Errorf("%d: %s", status, body)
		}
		seen[id] = true
	}
	for body, want := range map[string]string{
		"": "invalid_client_metadata", "[]": "invalid_client_metadata", `{"redirect_uris":"x"}`: "invalid_client_metadata",
		`{"client_name":"` + strings.Repeat("x", 64<<10) + `"}`: "invalid_client_metadata",
		`{}`: "invalid_redirect_uri", `{"redirect_uris":["https://example.com","cursor://x","http://localhost/#a","%"]}`: "invalid_redirect_uri",
	} {
		if status, got := register(body); status != http.StatusBadRequest || !strings.Contains(got, want) {
			t.Errorf("%.80s: %d %s", body, status, got)
		}
	}
}

// TestServerMetadata: OAuth clients that do not know OpenID have the same document, before the path of the issuer.
func TestServerMetadata(t *testing.T) {
	iss := open(t)
	_, want := get(iss, "/oidc"+issuer.PathDiscovery)
	status, got := get(iss, issuer.PathServer+"/oidc")
	if status != http.StatusOK || got != want || !strings.Contains(got, `"registration_endpoint":"http://127.0.0.1:8080/oidc/register"`) {
		t.Errorf("%d: %s", status, got)
	}
}
