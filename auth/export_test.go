package auth

// MaxWaiters exports maxWaiters to the tests in package auth_test.
const MaxWaiters = maxWaiters
