package auth

// MaxWaiters is for tests of package auth_test.
const MaxWaiters = maxWaiters
