package issuer

import "net/http"

// SetDown starts or ends an outage: during it every endpoint responds with 503. Mint, Sign and Verify still work.
func (i *Issuer) SetDown(down bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.down = down
}

// Override lets a handler serve one endpoint (PathJWKS, PathDiscovery …) instead of the issuer, for example with an
// invalid key set, a redirect or a hang. A nil handler ends the override.
func (i *Issuer) Override(path string, h http.Handler) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.overrides[path] = h
}

// JWKSFetches counts the requests for the key set so far, whatever the responses.
func (i *Issuer) JWKSFetches() int { return i.Requests(PathJWKS) }

// Requests counts the requests to one endpoint so far, whatever the responses.
func (i *Issuer) Requests(path string) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.requests[path]
}
