package issuer

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
)

// registration is what a client says about itself, and the response (RFC 7591 sections 2 and 3.2.1).
type registration struct {
	ClientID      string   `json:"client_id"`
	IssuedAt      int64    `json:"client_id_issued_at"`
	Name          string   `json:"client_name,omitempty"`
	RedirectURIs  []string `json:"redirect_uris"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
	AuthMethod    string   `json:"token_endpoint_auth_method"`
}

// serveRegister registers a client: it returns a new id, and keeps nothing, because every id is valid. The client is
// told what it can use, whatever it asked for.
func (i *Issuer) serveRegister(w http.ResponseWriter, r *http.Request) {
	var client registration
	if json.NewDecoder(http.MaxBytesReader(w, r.Body, maxFormBytes)).Decode(&client) != nil {
		writeJSON(w, http.StatusBadRequest, tokenProblem{"invalid_client_metadata", "the body is not the JSON of a client"})
		return
	}
	client.RedirectURIs = slices.DeleteFunc(client.RedirectURIs, func(uri string) bool {
		u, err := url.Parse(uri)
		return err != nil || !isRedirect(u)
	})
	if len(client.RedirectURIs) == 0 {
		writeJSON(w, http.StatusBadRequest, tokenProblem{"invalid_redirect_uri", "redirect_uris must have " + redirectRule})
		return
	}
	client.ClientID, client.IssuedAt = "client-"+rand.Text(), i.now().Unix()
	client.GrantTypes, client.ResponseTypes, client.AuthMethod = []string{grantCode}, []string{"code"}, "none"
	writeJSON(w, http.StatusCreated, client)
}
