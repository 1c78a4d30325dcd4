package graph

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/auth"
	"pixgraph/internal/memnet"
	"pixgraph/sandbox/issuer"
)

// identities returns a function that verifies tokens of a new issuer.
func identities(t testing.TB) func(issuer.Grant) *auth.Identity {
	t.Helper()
	network := &memnet.Network{}
	var iss *issuer.Issuer
	url := network.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { iss.ServeHTTP(w, r) }))
	iss, err := issuer.New(issuer.Config{URL: url, Audience: "a"})
	must(t, err)
	transport := network.Client(t).Transport
	verifier, err := auth.New(auth.Config{Issuers: []string{url}, Audiences: []string{"a"}, Transport: transport})
	must(t, err)
	t.Cleanup(verifier.Close)
	return func(grant issuer.Grant) *auth.Identity {
		identity, err := verifier.Authenticate(&http.Request{Header: http.Header{"Authorization": {"Bearer " + iss.Mint(grant)}}})
		must(t, err)
		return identity
	}
}

// reference is the id of a record, by a number.
func reference(n int) string { return fmt.Sprintf("aaaaaaaa-bbbb-4ccc-8ddd-%012x", n) }

// TestLearnedLinksExpire: an id is used for an hour after it was last read, and not longer than its token.
func TestLearnedLinksExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		identity := identities(t)
		long, short := identity(issuer.Grant{TTL: 24 * time.Hour}), identity(issuer.Grant{TTL: 10 * time.Minute})
		clock := short.Expiry().Add(-10 * time.Minute)
		links := newLearnedLinks(func() time.Time { return clock })
		for _, caller := range []*auth.Identity{long, short} {
			links.add(caller, []readLink{{reference(1), "b"}, {reference(2), "c"}, {reference(1), "a"}})
		}
		steps := []struct {
			name        string
			advance     time.Duration
			again       []string // read by the long token
			long, short string
		}{
			{"immediately", 0, nil, "[a b]", "[a b]"},
			{"before the short token expires", 9 * time.Minute, nil, "[a b]", "[a b]"},
			{"after it", time.Minute, nil, "[a b]", "[]"},
			{"later, one is read again", 40 * time.Minute, []string{"b"}, "[a b]", "[]"},
			{"after an hour, another one is read", 10 * time.Minute, []string{"d"}, "[b d]", "[]"},
			{"an hour after the last of them", time.Hour, nil, "[]", "[]"},
		}
		for _, step := range steps {
			clock = clock.Add(step.advance)
			for _, id := range step.again {
				links.add(long, []readLink{{reference(1), id}})
			}
			ofLong, ofShort := links.ids(long, strings.ToUpper(reference(1))), links.ids(short, reference(1))
			if fmt.Sprint(ofLong) != step.long || fmt.Sprint(ofShort) != step.short {
				t.Errorf("%s: %v and %v, want %s and %s", step.name, ofLong, ofShort, step.long, step.short)
			}
		}
	})
}

// TestLearnedLinksAreBounded: the memory stays below its bound, and a caller with any number of tokens evicts nothing
// of another caller.
func TestLearnedLinksAreBounded(t *testing.T) {
	tests := []struct {
		name string
		id   func(n int) string
		each int // ids of a record
		fill int // records, of which four times as many are more than there is room for
	}{
		{"short ids", func(n int) string { return fmt.Sprintf("%024x", n) }, 1, 4000},
		{"long ids", func(n int) string { return fmt.Sprintf("%01024x", n) }, 1, 1500},
		{"many ids", func(n int) string { return fmt.Sprintf("%024x", n) }, 2 * MaxIDs, 500},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				identity := identities(t)
				quiet := identity(issuer.Grant{Subject: "quiet"})
				const noise = 64 << 10 // the allocations of the runtime in the meantime
				links := newLearnedLinks(time.Now)
				add := func(caller *auth.Identity, records int) {
					for record := range records {
						var shown []readLink
						for n := range tt.each {
							shown = append(shown, readLink{reference(record), tt.id(record*tt.each + n)})
						}
						links.add(caller, shown)
					}
				}
				callers := make([]*auth.Identity, 20)
				for n := range callers {
					callers[n] = identity(issuer.Grant{Subject: fmt.Sprint(n)})
				}
				before := heap()
				add(quiet, 1)
				for range 4 { // tokens of one caller
					add(identity(issuer.Grant{Subject: "loud"}), tt.fill)
				}
				if took := heap() - before; took > links.records.Bytes()+noise || links.records.Bytes() > learnedBytes {
					t.Errorf("one caller takes %d bytes of heap, counted as %d", took, links.records.Bytes())
				}
				kept := links.ids(quiet, reference(0))
				if len(kept) != min(tt.each, MaxIDs) || !slices.Contains(kept, tt.id(tt.each-1)) {
					t.Errorf("%d ids of the other caller", len(kept))
				}
				for _, caller := range callers {
					add(caller, tt.fill)
				}
				if took := heap() - before; took > links.records.Bytes()+noise || links.records.Bytes() > learnedBytes {
					t.Errorf("many callers take %d bytes of heap, counted as %d", took, links.records.Bytes())
				}
				if ids := links.ids(quiet, reference(0)); len(ids) > 0 {
					t.Error("the least recently used caller was not evicted")
				}
				last := callers[len(callers)-1]
				if ids := links.ids(last, reference(tt.fill-1)); len(ids) == 0 {
					t.Error("the last record was evicted")
				}
			})
		})
	}
}

func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // frees what finalizers of the first run released
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// BenchmarkLearnedLinks measures what an operation with 100 notifications of 20 transactions adds.
func BenchmarkLearnedLinks(b *testing.B) {
	links, caller := newLearnedLinks(time.Now), identities(b)(issuer.Grant{})
	shown := make([]readLink, 100)
	for i := range shown {
		shown[i] = readLink{reference(i % 20), fmt.Sprintf("%024x", i)}
	}
	b.ReportAllocs()
	for b.Loop() {
		links.add(caller, slices.Clone(shown))
	}
}
