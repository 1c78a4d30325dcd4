package issuer

import (
	"strings"
	"time"
)

// persona is one of the callers that the authorization page offers.
type persona struct {
	Key, Title, About string
	scopes            []string
	ttl               time.Duration
}

// personas demonstrate full access, a missing scope, and a token that expires soon.
func personas() []persona {
	return []persona{
		{"full", "Full access", "Reads everything, including notifications, for an hour.", []string{ScopeDispatcher}, DefaultTTL},
		{"without-dispatcher", "Without get_dispatcher", "Reads payments; notifications are forbidden.", nil, DefaultTTL},
		{"expires-soon", "Expires in a minute", "Full access that ends after 60 seconds.", []string{ScopeDispatcher}, time.Minute},
	}
}

// personaKeys lists the keys of the personas.
func personaKeys() string {
	var keys []string
	for _, p := range personas() {
		keys = append(keys, p.Key)
	}
	return strings.Join(keys, ", ")
}

func personaOf(key string) (persona, bool) {
	for _, p := range personas() {
		if p.Key == key {
			return p, true
		}
	}
	return persona{}, false
}

// subject is the sub of the persona's tokens.
func (p persona) subject() string { return "sandbox-" + p.Key }
