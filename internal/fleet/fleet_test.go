package fleet_test

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"pixgraph/internal/fleet"
	"pixgraph/internal/redistest"
)

// hour is a charge of one hour, so that the time that a test takes hardly matters.
func hour(key string, known time.Duration) fleet.Charge {
	return fleet.Charge{Key: key, Units: 1, Used: time.Hour, Known: known, Full: 100 * time.Hour}
}

// wantDebt fails unless a debt is some hours, less what was refilled while the test ran.
func wantDebt(t *testing.T, what string, c fleet.Charge, hours int) {
	t.Helper()
	want := time.Duration(hours) * time.Hour
	if !c.Settled || c.Debt > want || c.Debt < want-10*time.Minute {
		t.Errorf("%s: settled %v, %s, want %s", what, c.Settled, c.Debt, want)
	}
}

// TestSettle: replicas learn what others took, and what one of them knows survives the loss of all data.
func TestSettle(t *testing.T) {
	server := redistest.Start(t)
	a, b := joinUp(t, fleet.Config{URL: urlOf(server.Address())}), joinUp(t, fleet.Config{URL: urlOf(server.Address())})
	wantDebt(t, "the first", a.take(hour("c1", 0)), 1)
	wantDebt(t, "of another replica", b.take(hour("c1", 0)), 2)
	wantDebt(t, "of another bucket", b.take(hour("c2", 0)), 1)
	command(t, server, "FLUSHALL")
	wantDebt(t, "after a loss", a.take(hour("c1", 2*time.Hour)), 3)
	short := fleet.Charge{Key: "c1", Used: time.Minute, Full: time.Minute}
	if c := a.take(short); c.Debt > time.Minute {
		t.Errorf("more is missing than replicas can take: %v", c.Debt)
	}
	if until, _ := strconv.Atoi(command(t, server, "PTTL", prefix+"c1")); until <= 0 || until > 62_000 {
		t.Errorf("expires in %d ms", until)
	}
	short.Used = time.Hour
	if c := a.take(short); c.Debt > 5*time.Minute {
		t.Errorf("the answer is not bounded: %v", c.Debt)
	}
	if c := a.take(fleet.Charge{Key: "c4", Used: time.Millisecond, Known: -time.Hour, Full: time.Hour}); c.Debt != -99*time.Millisecond {
		t.Errorf("a token is dated by the longest time of a command, 100 ms before, but %v are missing", c.Debt)
	}
	old := hour("c3", 0)
	old.Age, old.Known = 3*time.Hour, -5*time.Hour
	for i, want := range []time.Duration{-2 * time.Hour, -time.Hour} { // what was taken long ago is refilled
		if c := b.take(old); c.Debt > want || c.Debt < want-10*time.Minute {
			t.Errorf("%d: missing for %v, want %v", i, c.Debt, want)
		}
	}
	await(t, "the replicas are not two", func() bool { return a.Stats().Replicas == 2 && b.Stats().Replicas == 2 })
	if n := a.Stats().Settled; n != 2 {
		t.Errorf("%d settled units", n)
	}
}

// TestSettleMany: more buckets than one write to the connection has are settled too, each once.
func TestSettleMany(t *testing.T) {
	r := joinUp(t, fleet.Config{URL: urlOf(redistest.Start(t).Address())})
	const n = 1000
	r.mu.Lock()
	for i := range n {
		r.taken = append(r.taken, hour(fmt.Sprint("c", i), 0))
	}
	r.mu.Unlock()
	await(t, "not all are settled", func() bool { r.mu.Lock(); defer r.mu.Unlock(); return len(r.settled) == n })
	for _, c := range r.settled {
		wantDebt(t, c.Key, c, 1)
	}
}

// TestSettleSlowly: the slowest rate with the longest burst is settled too, with several replicas.
func TestSettleSlowly(t *testing.T) {
	server := redistest.Start(t)
	r := joinUp(t, fleet.Config{URL: urlOf(server.Address())})
	await(t, "the replicas are not counted", func() bool {
		now := strconv.FormatInt(time.Now().UnixMilli(), 10)
		command(t, server, "EVAL", "for i = 1, 8 do redis.call('ZADD', KEYS[1], ARGV[1], i) end", "1", prefix+"replicas", now)
		return r.Stats().Replicas == 9
	})
	for taken := range 2 {
		wantDebt(t, "the slowest rate", r.take(fleet.Charge{Key: "c1", Used: time.Hour, Full: 1e9 * time.Second}), 1+taken)
	}
}

// TestForeignValues: values of others under our keys count as absent, and stop nothing.
func TestForeignValues(t *testing.T) {
	server := redistest.Start(t)
	r := joinUp(t, fleet.Config{URL: urlOf(server.Address())})
	for i, set := range [][]string{
		{"SET", "", "nonsense"}, {"SET", "", "inf"}, {"SET", "", "nan"}, {"SET", "", "-inf"}, {"SET", "", "1e300"}, {"SET", "", "99999999999999999"},
		{"SET", "", strings.Repeat("9", 100_000)}, {"HSET", "", "a", "b"}, {"LPUSH", "", "a"}, {"ZADD", "", "1", "a"}, {"XADD", "", "*", "a", "b"},
	} {
		set[1] = prefix + fmt.Sprint("c", i)
		command(t, server, set...)
		wantDebt(t, fmt.Sprint(set[0], set[2:]), r.take(hour(fmt.Sprint("c", i), 0)), 1)
	}
	command(t, server, "DEL", prefix+"replicas")
	command(t, server, "SET", prefix+"replicas", "nonsense")
	await(t, "the replica is not counted", func() bool { return command(t, server, "TYPE", prefix+"replicas") == "zset" })
	command(t, server, "ZADD", prefix+"replicas", "99999999999999999", "future")
	await(t, "a replica of the future counts", func() bool { return command(t, server, "ZCARD", prefix+"replicas") == "1" })
	if s := r.Stats(); !s.Up {
		t.Errorf("away: %v", s.Refused)
	}
}

// TestDocuments: a document of one replica is found at another one, a forged one at none.
func TestDocuments(t *testing.T) {
	server := redistest.Start(t)
	a, b := joinUp(t, fleet.Config{URL: urlOf(server.Address())}), joinUp(t, fleet.Config{URL: urlOf(server.Address())})
	text := "{ deposits { totalCount } }"
	hash := a.register(text)
	find := func(hash [sha256.Size]byte) (text string) {
		searched := func() uint64 { d := b.Stats().Documents; return d["found"] + d["missed"] + d["invalid"] }
		await(t, "no search", func() bool { // one that takes too long on a busy machine finds nothing, for a second
			before, late := searched(), b.Stats().Refused["timeout"]
			text, _ = b.Document("caller", hash)
			return searched() > before && b.Stats().Refused["timeout"] == late
		})
		return text
	}
	await(t, "not found", func() bool { return find(hash) == text })
	key := strings.Fields(command(t, server, "KEYS", prefix+"d*"))[0]
	if until, _ := strconv.Atoi(command(t, server, "TTL", key)); until < 86_000 || until > 86_400 {
		t.Errorf("expires in %d s", until)
	}
	for name, value := range map[string]string{"another text": "{ withdrawals { totalCount } }", "longer": strings.Repeat("x", 100<<10), "empty": ""} {
		command(t, server, "SET", key, value)
		if found := find(hash); found != "" {
			t.Errorf("%s: found %.40q", name, found)
		}
	}
	if n := b.Stats().Documents["invalid"]; n != 2 {
		t.Errorf("%d invalid, want the two of another hash", n)
	}
	command(t, server, "DEL", key)
	command(t, server, "LPUSH", key, "x")
	if found := find(hash); found != "" || !b.Stats().Up {
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
	server := redistest.Start(t)
	r := joinUp(t, fleet.Config{URL: urlOf(server.Address())})
	for i := range 400 {
		text := fmt.Sprint(strings.Repeat(" ", 30<<10), i)
		r.Register("greedy", sha256.Sum256([]byte(text)), text)
	}
	r.register("{ deposits { totalCount } }")
	await(t, "documents wait", func() bool { s := r.Stats().Documents; return s["written"]+s["unwritten"] == 401 })
	if keys := len(strings.Fields(command(t, server, "KEYS", prefix+"d*"))); keys > 3<<20/(30<<10) {
		t.Errorf("%d documents of 30 KiB", keys)
	}
}

// TestHints: hints reach the other replicas, each once, and forged messages nobody.
func TestHints(t *testing.T) {
	server := redistest.Start(t)
	a, b := joinUp(t, fleet.Config{URL: urlOf(server.Address())}), joinUp(t, fleet.Config{URL: urlOf(server.Address())})
	await(t, "not subscribed", func() bool { return strings.HasSuffix(command(t, server, "PUBSUB", "NUMSUB", prefix+"hints"), "2") })
	const n = 200
	for i := range n {
		a.Hint(fleet.Hint{byte(i), 1})
	}
	await(t, "hints are lost", func() bool { return len(b.heard()) == n })
	if heard := a.heard(); len(heard) > 0 {
		t.Errorf("the sender hears %d of its own", len(heard))
	}
	for _, forged := range []string{"", "short", strings.Repeat("x", 9), strings.Repeat("x", 8+65*16), strings.Repeat("x", 60<<10)} {
		command(t, server, "PUBLISH", prefix+"hints", forged)
	}
	await(t, "forged messages are not dropped", func() bool { return b.Stats().Hints["dropped"] == 5 })
	if heard := b.heard(); len(heard) != n {
		t.Errorf("%d hints", len(heard))
	}
	a.Hint(fleet.Hint{0, 1})
	await(t, "a later hint is lost", func() bool { return len(b.heard()) == n+1 })
}

// TestFlood: a replica stops listening to many messages, or to a large one, for a while, and neither fails nor keeps
// them.
func TestFlood(t *testing.T) {
	for name, flood := range map[string]string{
		"many messages":   "for i = 1, 20000 do redis.call('PUBLISH', KEYS[1], ARGV[1]) end",
		"a large message": "redis.call('PUBLISH', KEYS[1], string.rep('x', 4000000))",
	} {
		t.Run(name, func(t *testing.T) { testFlood(t, flood) })
	}
}

func testFlood(t *testing.T, flood string) {
	t.Parallel()
	server := redistest.Start(t)
	a, b := joinUp(t, fleet.Config{URL: urlOf(server.Address())}), joinUp(t, fleet.Config{URL: urlOf(server.Address())})
	subscribed := func(n string) func() bool {
		return func() bool { return strings.HasSuffix(command(t, server, "PUBSUB", "NUMSUB", prefix+"hints"), n) }
	}
	await(t, "not subscribed", subscribed("2"))
	forged := strings.Repeat("x", 8+64*16)
	command(t, server, "EVAL", flood, "1", prefix+"hints", forged)
	await(t, "the replicas still listen", subscribed("0"))
	if heard := len(b.heard()); heard > 64*1000 {
		t.Errorf("%d hints of a flood", heard)
	}
	if s := b.Stats(); !s.Up || s.Hints["dropped"] == 0 || !b.take(hour("c1", 0)).Settled {
		t.Errorf("after a flood: %+v", s)
	}
	await(t, "hints do not arrive again", func() bool {
		a.Hint(fleet.Hint{1})
		heard := b.heard()
		return len(heard) > 0 && heard[len(heard)-1] == fleet.Hint{1}
	})
}

// TestKeys: everything that is written expires, and is bounded: 64 bytes of key and value for a caller, a document and
// 64 bytes. One script reads it, so that nothing expires in between.
func TestKeys(t *testing.T) {
	server := redistest.Start(t)
	r := joinUp(t, fleet.Config{URL: urlOf(server.Address())})
	r.take(hour("c"+strings.Repeat("x", 22), 0))
	const document = "{ deposits { totalCount } }"
	r.register(document)
	const script = `local all = {}
		for _, key in ipairs(redis.call('KEYS', '*')) do
			local bytes = redis.call('TYPE', key).ok == 'string' and redis.call('STRLEN', key) or 0
			table.insert(all, key .. ' ' .. redis.call('PTTL', key) .. ' ' .. bytes + #key)
		end
		return all`
	kinds := map[byte]int{}
	for line := range strings.Lines(command(t, server, "EVAL", script, "0")) {
		fields := strings.Fields(line)
		until, _ := strconv.Atoi(fields[1])
		bytes, _ := strconv.Atoi(fields[2])
		if until < 0 {
			t.Errorf("%s never expires", fields[0])
		}
		kind := fields[0][len(prefix)]
		if kinds[kind]++; kind == 'd' {
			bytes -= len(document)
		}
		if bytes > 64 {
			t.Errorf("%s has %d bytes with its value", fields[0], bytes)
		}
	}
	if kinds['c'] != 1 || kinds['d'] != 1 || kinds['r'] != 1 {
		t.Errorf("kinds of keys: %v", kinds)
	}
}
