package issuer

import (
	"encoding/json"
	"net/http"
)

// metadata is the discovery document (OpenID Connect Discovery 1.0, section 3).
type metadata struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	JWKSURI               string   `json:"jwks_uri"`
	RegistrationEndpoint  string   `json:"registration_endpoint"`
	ResponseTypes         []string `json:"response_types_supported"`
	ResponseModes         []string `json:"response_modes_supported"`
	GrantTypes            []string `json:"grant_types_supported"`
	SubjectTypes          []string `json:"subject_types_supported"`
	SigningAlgorithms     []string `json:"id_token_signing_alg_values_supported"`
	Scopes                []string `json:"scopes_supported"`
	TokenAuthMethods      []string `json:"token_endpoint_auth_methods_supported"`
	ChallengeMethods      []string `json:"code_challenge_methods_supported"`
	Prompts               []string `json:"prompt_values_supported"`
}

func (i *Issuer) serveDiscovery(w http.ResponseWriter, r *http.Request) {
	base := i.urlFor(r)
	writeJSON(w, http.StatusOK, metadata{
		Issuer:                base,
		AuthorizationEndpoint: base + PathAuthorize,
		TokenEndpoint:         base + PathToken,
		JWKSURI:               base + PathJWKS,
		RegistrationEndpoint:  base + PathRegister,
		ResponseTypes:         []string{"code"},
		ResponseModes:         []string{"query"},
		GrantTypes:            []string{grantCode, grantDirect},
		SubjectTypes:          []string{"public"},
		SigningAlgorithms:     []string{RS256, ES256},
		Scopes:                []string{scopeOpenID, ScopeDispatcher},
		TokenAuthMethods:      []string{"none"},
		ChallengeMethods:      []string{challengeS256},
		Prompts:               []string{promptNone, promptLogin},
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
