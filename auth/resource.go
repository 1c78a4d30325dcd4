package auth

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// Resource is a protected resource as clients discover it, which know only its URL (RFC 9728). The URL is its
// identifier: clients request tokens for it, and send requests to it.
type Resource struct{ URL string }

// The paths of the resources below the public URL: GraphQL, and assistants by the Model Context Protocol.
const (
	GraphQLPath    = "/graphql"
	AssistantsPath = "/mcp"
)

// MetadataPath is the path at which a resource without a path has its metadata.
const MetadataPath = "/.well-known/oauth-protected-resource"

// MetadataURL is the URL of the metadata: MetadataPath between the host and the path of the resource (RFC 9728 section
// 3.1).
func (r Resource) MetadataURL() string {
	u, err := url.Parse(r.URL)
	if err != nil {
		return ""
	}
	u.Path = MetadataPath + u.Path
	return u.String()
}

// Metadata is the metadata document (RFC 9728 section 2). It has the issuers of accepted tokens, exactly as configured:
// clients compare them with `iss`, to the slash; the scopes that operations may need; and whether tokens may be bound
// to the certificates of clients. It has no algorithms of DPoP, which is not supported.
func (r Resource) Metadata(issuers, scopes []string, certificates bool) []byte {
	document, err := json.Marshal(struct {
		Resource string   `json:"resource"`
		Issuers  []string `json:"authorization_servers,omitempty"`
		Scopes   []string `json:"scopes_supported,omitempty"`
		Methods  []string `json:"bearer_methods_supported"`
		Name     string   `json:"resource_name"`
		Bound    bool     `json:"tls_client_certificate_bound_access_tokens,omitempty"`
	}{r.URL, issuers, scopes, []string{"header"}, "Pixgraph", certificates})
	if err != nil {
		panic(err) // texts can always be encoded
	}
	return document
}

// Challenge adds the metadata to a value of WWW-Authenticate (RFC 9728 section 5.1).
func (r Resource) Challenge(challenge string) string {
	if r.URL == "" {
		return challenge
	}
	return challenge + `, resource_metadata="` + r.MetadataURL() + `"`
}

// IsAudience reports whether tokens for the resource have one of the audiences: clients request them for its URL (RFC
// 8707).
func (r Resource) IsAudience(audiences []string) bool {
	return r.URL != "" && slices.Contains(audiences, r.URL)
}

// ResourceAt returns the resource at a path below the public URL of the gateway; without that URL, a zero one.
func ResourceAt(publicURL, path string) Resource {
	if publicURL == "" {
		return Resource{}
	}
	return Resource{strings.TrimSuffix(publicURL, "/") + path}
}
