package lru_test

import (
	"slices"
	"testing"

	"pixgraph/internal/lru"
)

// item is a value that knows its size.
type item struct {
	name  string
	bytes int
}

// TestCache: the cache has at most 100 bytes, and evicts the values that were not used for the longest time.
func TestCache(t *testing.T) {
	a, b, c := &item{"a", 40}, &item{"b", 40}, &item{"c", 40}
	tests := []struct {
		name    string
		use     func(*lru.Cache[string, *item])
		bytes   int
		dropped []string
	}{
		{"two that fit", func(*lru.Cache[string, *item]) {}, 80, nil},
		{"one more", func(l *lru.Cache[string, *item]) { l.Add("c", c) }, 80, []string{"a"}},
		{"one more after a use", func(l *lru.Cache[string, *item]) { l.Get("a"); l.Add("c", c) }, 80, []string{"b"}},
		{"Has is no use", func(l *lru.Cache[string, *item]) { l.Has("a"); l.Add("c", c) }, 80, []string{"a"}},
		{"one of all bytes", func(l *lru.Cache[string, *item]) { l.Add("d", &item{"d", 100}) }, 100, []string{"a", "b"}},
		{"one of more", func(l *lru.Cache[string, *item]) { l.Add("d", &item{"d", 101}) }, 80, nil},
		{"one of more for a key that is known", func(l *lru.Cache[string, *item]) { l.Add("a", &item{"d", 101}) }, 40, []string{"a"}},
		{"another one for the same key", func(l *lru.Cache[string, *item]) { l.Add("a", &item{"d", 60}) }, 100, []string{"a"}},
		{"removed", func(l *lru.Cache[string, *item]) { l.Remove("b"); l.Remove("z") }, 40, []string{"b"}},
		{"grown", func(l *lru.Cache[string, *item]) { b.bytes += 20; l.Grow(20) }, 100, nil},
		{"grown too much", func(l *lru.Cache[string, *item]) { b.bytes += 21; l.Grow(21) }, 61, []string{"a"}},
		{"the oldest grown too much", func(l *lru.Cache[string, *item]) { a.bytes += 21; l.Grow(21) }, 40, []string{"a"}},
		{"made smaller", func(l *lru.Cache[string, *item]) { a.bytes -= 30; l.Grow(-30); l.Add("c", c) }, 90, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a.bytes, b.bytes = 40, 40
			var dropped []string
			l := lru.New[string](100, func(i *item) int { return i.bytes }, func(i *item) { dropped = append(dropped, i.name) })
			l.Add("a", a)
			l.Add("b", b)
			tt.use(l)
			if l.Bytes() != tt.bytes || !slices.Equal(dropped, tt.dropped) {
				t.Errorf("%d bytes after dropping %q, want %d and %q", l.Bytes(), dropped, tt.bytes, tt.dropped)
			}
			for _, name := range tt.dropped {
				if kept, ok := l.Get(name); ok && kept.name == name {
					t.Errorf("%s is kept", name)
				}
			}
		})
	}
}
