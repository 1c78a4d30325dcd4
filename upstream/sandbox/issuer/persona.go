package issuer

import "time"

// persona is one of the callers that the authorization page offers.
type persona struct {
	key, title, about string
	scopes            []string
	ttl               time.Duration
}
