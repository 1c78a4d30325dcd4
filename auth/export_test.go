package auth

// Constants for the tests in package auth_test.
const (
	MaxWaiters  = maxWaiters
	KeyCooldown = keyCooldown
	KeyMaxAge   = keyMaxAge
)

// LimitCache replaces the cache by one of the given size.
func LimitCache(a *Authenticator, bytes int) { a.cache = newCache(bytes) }
