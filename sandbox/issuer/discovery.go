package issuer

import (
	"encoding/json"
	"net/http"
)

// serveDiscovery serves the discovery document (OpenID Connect Discovery 1.0, section 3).
func (i *Issuer) serveDiscovery(w http.ResponseWriter, r *http.Request) {
	base := i.urlFor(r)
	writeJSON(w, http.StatusOK, map[string]any{
		"issuer":                 base,
		"authorization_endpoint": base + PathAuthorize,
		"token_endpoint":         base + PathToken,
		"jwks_uri":               base + PathJWKS,
		"registration_endpoint":  base + PathRegister,

		"response_types_supported":              []string{"code"},
		"response_modes_supported":              []string{"query"},
		"grant_types_supported":                 []string{grantCode, grantDirect},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{RS256, ES256},
		"scopes_supported":                      []string{scopeOpenID, ScopeDispatcher},
		"token_endpoint_auth_methods_supported": []string{"none"},
		"code_challenge_methods_supported":      []string{challengeS256},
		"prompt_values_supported":               []string{promptNone, promptLogin},
	})
}

func (i *Issuer) serveJWKS(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, i.KeySet())
}

// writeJSON writes values of our own types, whose encoding cannot fail. Errors of the connection are ignored.
func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
