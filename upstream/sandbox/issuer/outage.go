package issuer

import "net/http"

// SetDown begins or ends an outage: while it lasts every endpoint answers 503.
// Mint, Sign and Verify go on working.
func (i *Issuer) SetDown(down bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.down = down
}

// Override lets a handler of the caller answer one endpoint (PathJWKS,
// PathDiscovery …) in place of the issuer: a poisoned key set, a redirect, a
// hang. A nil handler ends it.
func (i *Issuer) Override(path string, h http.Handler) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.overrides[path] = h
}

// JWKSFetches counts the requests for the key set so far, whatever they were
// answered with.
func (i *Issuer) JWKSFetches() int { return i.Requests(PathJWKS) }

// Requests counts the requests to one endpoint so far, whatever they were
// answered with.
func (i *Issuer) Requests(path string) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.requests[path]
}
