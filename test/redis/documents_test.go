package redis

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pixgraph/internal/redistest"
)

// TestDocuments: a document of one replica is found at another one, a forged one at none.
func TestDocuments(t *testing.T) {
	notShort(t)
	server := redistest.Start(t)
	a, b := joinUp(t, urlOf(server.Address())), joinUp(t, urlOf(server.Address()))
	text := "{ deposits { totalCount } }"
	hash := a.register(text)
	find := func() (text string) {
		searched := func() uint64 { d := b.Stats().Documents; return d["found"] + d["missed"] + d["invalid"] }
		await(t, "a search that is answered in time", func() bool {
			before, late := searched(), b.Stats().Refused["timeout"]
			text, _ = b.Document("caller", hash)
			return searched() > before && b.Stats().Refused["timeout"] == late
		})
		return text
	}
	if found := find(); found != text {
		t.Errorf("found %q", found)
	}
	key := strings.Fields(command(t, server, "KEYS", prefix+"d*"))[0]
	if until, _ := strconv.Atoi(command(t, server, "TTL", key)); until < 82_800 || until > 86_400 {
		t.Errorf("expires in %d s", until)
	}
	for name, value := range map[string]string{"another text": "{ withdrawals { totalCount } }", "longer": strings.Repeat("x", 100<<10), "empty": ""} {
		command(t, server, "SET", key, value)
		if found := find(); found != "" {
			t.Errorf("%s: found %.40q", name, found)
		}
	}
	if n := b.Stats().Documents["invalid"]; n != 2 {
		t.Errorf("%d invalid, want the two of another hash", n)
	}
	command(t, server, "DEL", key)
	command(t, server, "LPUSH", key, "x")
	if found := find(); found != "" || !b.Stats().Up {
		t.Errorf("of another type: found %q, up %v", found, b.Stats().Up)
	}
	b.Register("caller", sha256.Sum256(nil), strings.Repeat("x", 1<<20))
	if n := b.Stats().Documents["unwritten"]; n != 1 {
		t.Errorf("%d unwritten, want the one that is too large", n)
	}
}

// TestDocumentsOfOneCaller: a caller that registers documents all the time leaves some for others, and a replica writes
// a bounded number of bytes.
func TestDocumentsOfOneCaller(t *testing.T) {
	notShort(t)
	server := redistest.Start(t)
	r := joinUp(t, urlOf(server.Address()))
	for i := range 400 {
		text := fmt.Sprint(strings.Repeat(" ", 30<<10), i)
		r.Register("greedy", sha256.Sum256([]byte(text)), text)
	}
	await(t, "the documents of the caller", func() bool { s := r.Stats().Documents; return s["written"]+s["unwritten"] == 400 })
	r.register("{ deposits { totalCount } }")
	if keys := len(strings.Fields(command(t, server, "KEYS", prefix+"d*"))); keys > 3<<20/(30<<10) {
		t.Errorf("%d documents of 30 KiB", keys)
	}
}
