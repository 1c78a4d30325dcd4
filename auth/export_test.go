package auth

// Constants for the tests in package auth_test.
const (
	MaxWaiters  = maxWaiters
	KeyCooldown = keyCooldown
	KeyMaxAge   = keyMaxAge
)

// CallerOf is Identity.Caller of a token with these claims.
func CallerOf(issuer, subject string) string {
	return (&claims{Issuer: issuer, Subject: subject}).caller()
}

// LimitCache replaces the cache by one of the given size.
func LimitCache(a *Authenticator, bytes int) { a.cache = newCache(bytes) }
