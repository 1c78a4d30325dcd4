package lru_test

import (
	"fmt"
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
		{"one more", func(l *lru.Cache[string, *item]) { l.Add("", "c", c) }, 80, []string{"a"}},
		{"one more after a use", func(l *lru.Cache[string, *item]) { l.Get("a"); l.Add("", "c", c) }, 80, []string{"b"}},
		{"Has is no use", func(l *lru.Cache[string, *item]) { l.Has("a"); l.Add("", "c", c) }, 80, []string{"a"}},
		{"one of all bytes", func(l *lru.Cache[string, *item]) { l.Add("", "d", &item{"d", 100}) }, 100, []string{"a", "b"}},
		{"one of more", func(l *lru.Cache[string, *item]) { l.Add("", "d", &item{"d", 101}) }, 80, nil},
		{"one of more for a key that is known", func(l *lru.Cache[string, *item]) { l.Add("", "a", &item{"d", 101}) }, 40, []string{"a"}},
		{"another one for the same key", func(l *lru.Cache[string, *item]) { l.Add("", "a", &item{"d", 60}) }, 100, []string{"a"}},
		{"removed", func(l *lru.Cache[string, *item]) { l.Remove("b"); l.Remove("z") }, 40, []string{"b"}},
		{"grown", func(l *lru.Cache[string, *item]) { b.bytes += 20; l.Grow("b", 20) }, 100, nil},
		{"grown too much", func(l *lru.Cache[string, *item]) { b.bytes += 21; l.Grow("b", 21) }, 61, []string{"a"}},
		{"the oldest grown too much", func(l *lru.Cache[string, *item]) { a.bytes += 21; l.Grow("a", 21) }, 40, []string{"a"}},
		{"made smaller", func(l *lru.Cache[string, *item]) { a.bytes -= 30; l.Grow("a", -30); l.Add("", "c", c) }, 90, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a.bytes, b.bytes = 40, 40
			var dropped []string
			l := lru.New[string](100, func(i *item) int { return i.bytes }, func(i *item) { dropped = append(dropped, i.name) })
			l.Add("", "a", a)
			l.Add("", "b", b)
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

// TestShares: in a full cache, an owner with many values evicts its own, also if others use few of theirs, and owners
// with few values evict those that were not used for the longest time.
func TestShares(t *testing.T) {
	const each, fit = 1000, 160
	l := lru.New[string](fit*each, func(int) int { return each }, nil)
	add := func(owner string, from, n int) {
		for i := range n {
			l.Add(owner, fmt.Sprint(owner, from+i), 0)
		}
	}
	want := func(when, owner string, n int) {
		t.Helper()
		kept := 0
		for i := range 4 * fit {
			if l.Has(fmt.Sprint(owner, i)) {
				kept++
			}
		}
		if kept != n {
			t.Errorf("%s: %d of %s, want %d", when, kept, owner, n)
		}
	}
	add("a", 0, 3)
	add("b", 0, 2*fit)
	want("one owner fills the cache", "a", 3)
	want("one owner fills the cache", "b", fit-4) // the owners themselves need less than a value
	add("c", 0, 2*fit)
	want("two fill it", "a", 3)
	want("two fill it", "c", (fit-4)/2)
	for _, key := range []string{"c400", "nothing"} {
		l.GetFor("a", key)
	}
	l.GetFor("a", fmt.Sprint("c", 2*fit-1))
	l.GetFor("b", "a0") // a has few
	add("c", 2*fit, 2*fit)
	if want("c fills it again", "a", 3); !l.Has(fmt.Sprint("c", 2*fit-1)) {
		t.Error("a value of c that a uses is evicted")
	}
	for i := range 20 {
		add(fmt.Sprint("few", i, "-"), 0, 8)
	}
	want("many with few", "a", 0)
	want("many with few", "few19-", 8)
	if l.Bytes() > fit*each || l.Bytes() < (fit-8)*each {
		t.Errorf("%d bytes", l.Bytes())
	}
	for i := range 20 {
		for n := range 4 * fit {
			l.Remove(fmt.Sprint("few", i, "-", n))
			for _, other := range "abc" {
				l.Remove(fmt.Sprint(string(other), n))
			}
		}
	}
	if l.Len() != 0 || l.Bytes() != 0 {
		t.Errorf("%d values, %d bytes are left", l.Len(), l.Bytes())
	}
}

// TestMakeRoom: a full cache evicts only what may be evicted, and examines few values for each new one.
func TestMakeRoom(t *testing.T) {
	const limit = 20
	l := lru.NewCounted[int](limit, func(n int) {
		if n != 10 {
			t.Errorf("%d is evicted", n)
		}
	})
	asked := 0
	never := func(int) bool { asked++; return false }
	for n := range limit {
		if !l.MakeRoom(never) {
			t.Fatalf("no room for value %d", n)
		}
		l.Add(fmt.Sprint(n%2), n, n)
	}
	if l.MakeRoom(never) || asked == 0 || asked >= limit {
		t.Errorf("%d of %d values were examined, and none may be evicted", asked, limit)
	}
	if !l.MakeRoom(func(n int) bool { return n == 10 }) || l.Has(10) || l.Len() != limit-1 {
		t.Errorf("%d values are left", l.Len())
	}
	all := 0
	for key, n := range l.All() {
		if all++; key != n {
			t.Errorf("%d is the value of %d", n, key)
		}
	}
	if want := limit - 1; all != want || l.Owned("0")+l.Owned("1") != want || l.Bytes() != want {
		t.Errorf("%d and %d values of two owners, want %d", l.Owned("0"), l.Owned("1"), want)
	}
}
