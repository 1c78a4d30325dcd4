package auth

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The estimate of an entry is no less than the heap that it takes, for tokens of every shape; so the cache takes no more
// than its limit.
func TestCacheBytesAreThoseOfTheHeap(t *testing.T) {
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
		{"padded", map[string]any{"pad": strings.Repeat("x", 11_000)}},
		{"a long subject", map[string]any{"sub": strings.Repeat("s", 11_000)}},
		{"many short scopes", map[string]any{"permissions": many(2000, func(i int) string { return fmt.Sprintf("%x", i) })}},
		{"scopes in one text", map[string]any{"scope": strings.Join(many(2000, func(i int) string { return fmt.Sprintf("%x", i) }), " ")}},
		{"one scope many times", map[string]any{"scope": strings.Repeat("a ", 5500), "scp": many(20, func(int) string { return "a" })}},
		{"long scopes", map[string]any{"scp": many(10, func(i int) string { return strings.Repeat(fmt.Sprint(i), 1000) })}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const limit, noise = 1 << 20, 32 << 10 // noise is what the runtime allocates meanwhile
			c := newCache(limit)
			before := heap()
			for n := 0; ; n++ {
				v, token := pretend(t, n, tt.claims)
				if c.bytes+entryBytes(v) > limit {
					break
				}
				c.add(digestOf(token), v)
			}
			took := heap() - before
			if c.len() == 0 || c.bytes > limit || took > c.bytes+noise {
				t.Errorf("%d entries take %d bytes of heap, and are counted as %d", c.len(), took, c.bytes)
			}
			for n := range c.len() + 20 { // all of them again, and beyond the limit
				v, token := pretend(t, n, tt.claims)
				c.add(digestOf(token), v)
			}
			sum := 0
			for e := c.recent.Front(); e != nil; e = e.Next() {
				sum += e.Value.(*cacheEntry).bytes
			}
			if sum != c.bytes || sum > limit || len(c.entries) != c.recent.Len() {
				t.Errorf("%d entries, %d in the list, of %d bytes; %d are counted", len(c.entries), c.recent.Len(), sum, c.bytes)
			}
			for c.recent.Len() > 0 {
				c.remove(c.recent.Front().Value.(*cacheEntry).digest)
			}
			if c.bytes != 0 {
				t.Errorf("an empty cache counts %d bytes", c.bytes)
			}
		})
	}
}

// pretend gives what verify returns for a token of these claims.
func pretend(t *testing.T, n int, extra map[string]any) (*verified, string) {
	t.Helper()
	all := map[string]any{"iss": madeIssuer, "sub": "someone", "jti": n}
	for name, value := range extra {
		all[name] = value
	}
	payload, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	token := strings.Repeat("h", 60) + "." + base64.RawURLEncoding.EncodeToString(payload) + "." + strings.Repeat("s", 86)
	c, err := parseClaims(payload)
	if err != nil {
		t.Fatal(err)
	}
	return &verified{identity: newVerified(token, digestOf(token), c, time.Time{})}, token
}

func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what finalizers of the first one released
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
