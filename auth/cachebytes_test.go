package auth

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestEntryBytesCoverHeap: the estimated size of an entry is at least the heap that it takes, for tokens of every
// shape. So the cache takes no more than its limit.
func TestEntryBytesCoverHeap(t *testing.T) {
	many := func(n int, scope func(i int) string) []string {
		list := make([]string, n)
		for i := range list {
			list[i] = scope(i)
		}
		return list
	}
	tests := []struct {
		name   string
		claims map[string]any
	}{
		{"small", map[string]any{"scope": "get_dispatcher"}},
		{"of many callers", map[string]any{"sub": each}},
		{"padded", map[string]any{"pad": strings.Repeat("x", 11_000)}},
		{"a long subject", map[string]any{"sub": strings.Repeat("s", 11_000)}},
		{"many short scopes", map[string]any{"permissions": many(2000, func(i int) string { return fmt.Sprintf("%x", i) })}},
		{"scopes in one string", map[string]any{"scope": strings.Join(many(2000, func(i int) string { return fmt.Sprintf("%x", i) }), " ")}},
		{"one scope many times", map[string]any{"scope": strings.Repeat("a ", 5500), "scp": many(20, func(int) string { return "a" })}},
		{"long scopes", map[string]any{"scp": many(10, func(i int) string { return strings.Repeat(fmt.Sprint(i), 1000) })}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const limit, noise = 1 << 20, 32 << 10 // noise is the allocations of the runtime in the meantime
			c := newCache(limit)
			added := make(map[[sha256.Size]byte]bool, 4096) // not in the heap that is measured
			add := func(v *verified, token string) {
				added[digestOf(token)] = true
				c.add(v.identity.caller, digestOf(token), v)
			}
			before := heap()
			for n := 0; ; n++ {
				v, token := fakeVerified(t, n, tt.claims)
				if c.tokens.Bytes()+entryBytes(v) > limit {
					break
				}
				add(v, token)
			}
			took := heap() - before
			if c.len() == 0 || c.tokens.Bytes() > limit || took > c.tokens.Bytes()+noise {
				t.Errorf("%d entries take %d bytes of heap, and are counted as %d", c.len(), took, c.tokens.Bytes())
			}
			for n := range c.len() + 20 { // all of them again, and beyond the limit
				add(fakeVerified(t, n, tt.claims))
			}
			held, sum := 0, 0
			for digest := range added {
				if v, ok := c.get(digest); ok {
					held, sum = held+1, sum+entryBytes(v)
				}
			}
			const owner = 320 // of package lru
			counted := c.tokens.Bytes()
			if callers := (counted - sum) / owner; callers != 1 && callers != held || counted > limit || held != c.len() {
				t.Errorf("%d entries of %d bytes; counted are %d of %d", held, sum, c.len(), c.tokens.Bytes())
			}
			for digest := range added {
				c.remove(digest)
			}
			if c.tokens.Bytes() != 0 || c.len() != 0 {
				t.Errorf("an empty cache counts %d bytes", c.tokens.Bytes())
			}
		})
	}
}

// each is a claim that differs from token to token.
const each = "each"

// fakeVerified returns what verify returns for a token with these claims.
func fakeVerified(t *testing.T, n int, extra map[string]any) (*verified, string) {
	t.Helper()
	all := map[string]any{"iss": fakeIssuer, "sub": "someone", "jti": n}
	for name, value := range extra {
		all[name] = value
		if value == each {
			all[name] = fmt.Sprintf("caller %d", n)
		}
	}
	payload, err := json.Marshal(all)
	must(t, err)
	token := strings.Repeat("h", 60) + "." + base64.RawURLEncoding.EncodeToString(payload) + "." + strings.Repeat("s", 86)
	c, err := parseClaims(payload)
	must(t, err)
	c.Expiry = new(numericDate)
	return &verified{identity: newVerified(token, digestOf(token), c)}, token
}

func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // frees what finalizers of the first run released
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
