package redis

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"pixgraph/fleet"
	"pixgraph/internal/redistest"
)

// hour is a charge of one hour, so that the time that a test takes hardly matters.
func hour(key string, known time.Duration) fleet.Charge {
	return fleet.Charge{Key: key, Units: 1, Used: time.Hour, Known: known, Most: 100 * time.Hour}
}

// wantDebt fails unless a debt is some hours, less what was refilled while the test ran.
func wantDebt(t *testing.T, what string, c fleet.Charge, hours int) {
	t.Helper()
	want := time.Duration(hours) * time.Hour
	if !c.Settled || c.Debt > want || c.Debt < want-30*time.Minute {
		t.Errorf("%s: settled %v, %s, want %s", what, c.Settled, c.Debt, want)
	}
}

// TestSettle: replicas learn what others took, and what one of them knows survives the loss of all data.
func TestSettle(t *testing.T) {
	server := redistest.Start(t)
	a, b := joinUp(t, urlOf(server.Address())), joinUp(t, urlOf(server.Address()))
	wantDebt(t, "the first", a.take(hour("c1", 0))[0], 1)
	wantDebt(t, "of another replica", b.take(hour("c1", 0))[0], 2)
	wantDebt(t, "of another bucket", b.take(hour("c2", 0))[0], 1)
	command(t, server, "FLUSHALL")
	wantDebt(t, "after a loss", a.take(hour("c1", 2*time.Hour))[0], 3)
	short := fleet.Charge{Key: "c1", Used: time.Minute, Most: time.Minute}
	if c := a.take(short)[0]; c.Debt > time.Minute {
		t.Errorf("more is missing than replicas can take: %v", c.Debt)
	}
	if until, _ := strconv.Atoi(command(t, server, "PTTL", prefix+"c1")); until > 62_000 {
		t.Errorf("expires in %d ms", until)
	}
	short.Used = time.Hour
	if c := a.take(short)[0]; c.Debt > 5*time.Minute {
		t.Errorf("the answer is not bounded: %v", c.Debt)
	}
	if c := a.take(fleet.Charge{Key: "c4", Used: time.Millisecond, Known: -time.Hour, Most: time.Hour})[0]; c.Debt != -99*time.Millisecond {
		t.Errorf("a token is dated by the longest time of a command, 100 ms before, but %v are missing", c.Debt)
	}
	old := hour("c3", 0)
	old.Age, old.Known = 3*time.Hour, -5*time.Hour
	for i, want := range []time.Duration{-2 * time.Hour, -time.Hour} { // what was taken long ago is refilled
		if c := b.take(old)[0]; c.Debt > want || c.Debt < want-30*time.Minute {
			t.Errorf("%d: missing for %v, want %v", i, c.Debt, want)
		}
	}
	await(t, "two replicas", func() bool { return a.Stats().Replicas == 2 && b.Stats().Replicas == 2 })
	if n := a.Stats().Settled; n != 2 {
		t.Errorf("%d settled units", n)
	}
}

// TestSettleMany: more buckets than one write to the connection has are settled too, each once.
func TestSettleMany(t *testing.T) {
	notShort(t)
	r := joinUp(t, urlOf(redistest.Start(t).Address()))
	charges := make([]fleet.Charge, 1000)
	for i := range charges {
		charges[i] = hour(fmt.Sprint("c", i), 0)
	}
	for _, c := range r.take(charges...) {
		wantDebt(t, c.Key, c, 1)
	}
}

// TestSettleSlowly: the slowest rate with the longest burst is settled too, with several replicas.
func TestSettleSlowly(t *testing.T) {
	notShort(t)
	server := redistest.Start(t)
	r := joinUp(t, urlOf(server.Address()))
	await(t, "nine replicas", func() bool {
		now := strconv.FormatInt(time.Now().UnixMilli(), 10)
		command(t, server, "EVAL", "for i = 1, 8 do redis.call('ZADD', KEYS[1], ARGV[1], i) end", "1", prefix+"replicas", now)
		return r.Stats().Replicas == 9
	})
	for taken := range 2 {
		wantDebt(t, "the slowest rate", r.take(fleet.Charge{Key: "c1", Used: time.Hour, Most: 1e9 * time.Second})[0], 1+taken)
	}
}

// TestForeignValues: values of others under our keys count as absent, and stop nothing.
func TestForeignValues(t *testing.T) {
	notShort(t)
	server := redistest.Start(t)
	r := joinUp(t, urlOf(server.Address()))
	for i, set := range [][]string{
		{"SET", "", "nonsense"}, {"SET", "", "inf"}, {"SET", "", "nan"}, {"SET", "", "-inf"}, {"SET", "", "1e300"}, {"SET", "", "99999999999999999"},
		{"SET", "", strings.Repeat("9", 100_000)}, {"HSET", "", "a", "b"}, {"LPUSH", "", "a"}, {"ZADD", "", "1", "a"}, {"XADD", "", "*", "a", "b"},
	} {
		set[1] = prefix + fmt.Sprint("c", i)
		command(t, server, set...)
		wantDebt(t, fmt.Sprint(set[0], set[2:]), r.take(hour(fmt.Sprint("c", i), 0))[0], 1)
	}
	command(t, server, "DEL", prefix+"replicas")
	command(t, server, "SET", prefix+"replicas", "nonsense")
	await(t, "a sorted set of replicas", func() bool { return command(t, server, "TYPE", prefix+"replicas") == "zset" })
	command(t, server, "ZADD", prefix+"replicas", "99999999999999999", "future")
	await(t, "a set without the replica of the future", func() bool { return command(t, server, "ZCARD", prefix+"replicas") == "1" })
	if s := r.Stats(); !s.Up {
		t.Errorf("away: %v", s.Refused)
	}
}

// TestKeys: everything that is written expires, and is bounded: 64 bytes of key and value for a caller, a document and
// 64 bytes.
func TestKeys(t *testing.T) {
	notShort(t)
	server := redistest.Start(t)
	r := joinUp(t, urlOf(server.Address()))
	r.take(hour("c"+strings.Repeat("x", 22), 0))
	const document = "{ deposits { totalCount } }"
	r.register(document)
	const script = `local all = {}
		for _, key in ipairs(redis.call('KEYS', '*')) do
			local bytes = redis.call('TYPE', key).ok == 'string' and redis.call('STRLEN', key) or 0
			table.insert(all, key .. ' ' .. redis.call('PTTL', key) .. ' ' .. bytes + #key)
		end
		return all` // one script, so that nothing expires in between
	var kinds map[byte]int
	await(t, "keys of a caller, a document and replicas", func() bool {
		kinds = map[byte]int{}
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
		return kinds['c'] == 1 && kinds['d'] == 1 && kinds['r'] == 1
	})
	for kind, n := range kinds {
		if n != 1 || !strings.ContainsRune("cdpr", rune(kind)) {
			t.Errorf("%d keys of kind %c", n, kind)
		}
	}
}
