package fleet_test

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pixgraph/internal/fleet"
	"pixgraph/internal/redistest"
)

// TestFailures: whatever Redis does, a replica goes on by itself, and uses Redis again when that is over.
func TestFailures(t *testing.T) {
	failures := []struct {
		name   string
		reason string // of the commands; "" for any
		begin  func(*testing.T, *redistest.Server, *redistest.Proxy)
		end    func(*testing.T, *redistest.Server, *redistest.Proxy)
	}{
		{"killed", "", func(_ *testing.T, s *redistest.Server, _ *redistest.Proxy) { s.Kill() },
			func(_ *testing.T, s *redistest.Server, _ *redistest.Proxy) { s.Restart() }},
		{"stalled", "timeout", func(_ *testing.T, s *redistest.Server, _ *redistest.Proxy) { s.Pause() },
			func(_ *testing.T, s *redistest.Server, _ *redistest.Proxy) { s.Resume() }},
		{"slow", "timeout", func(_ *testing.T, _ *redistest.Server, p *redistest.Proxy) { p.Delay(300 * time.Millisecond) },
			func(_ *testing.T, _ *redistest.Server, p *redistest.Proxy) { p.Delay(0) }},
		{"silent", "timeout", func(_ *testing.T, _ *redistest.Server, p *redistest.Proxy) { p.Silence(true) },
			func(_ *testing.T, _ *redistest.Server, p *redistest.Proxy) { p.Silence(false) }},
		{"cut off", "connection", func(_ *testing.T, _ *redistest.Server, p *redistest.Proxy) { p.Cut(true) },
			func(_ *testing.T, _ *redistest.Server, p *redistest.Proxy) { p.Cut(false) }},
		{"full", "full", func(t *testing.T, s *redistest.Server, _ *redistest.Proxy) {
			command(t, s, "CONFIG", "SET", "maxmemory-policy", "noeviction", "maxmemory", "1")
		}, func(t *testing.T, s *redistest.Server, _ *redistest.Proxy) {
			command(t, s, "CONFIG", "SET", "maxmemory", "0")
		}},
		{"read-only", "read-only", func(t *testing.T, s *redistest.Server, _ *redistest.Proxy) {
			command(t, s, "REPLICAOF", "127.0.0.1", "1")
		},
			func(t *testing.T, s *redistest.Server, _ *redistest.Proxy) { command(t, s, "REPLICAOF", "NO", "ONE") }},
		{"paused", "timeout", func(t *testing.T, s *redistest.Server, _ *redistest.Proxy) {
			command(t, s, "CLIENT", "PAUSE", "1000000", "WRITE")
		}, func(t *testing.T, s *redistest.Server, _ *redistest.Proxy) { command(t, s, "CLIENT", "UNPAUSE") }},
		{"denied", "denied", func(t *testing.T, s *redistest.Server, _ *redistest.Proxy) {
			command(t, s, "ACL", "SETUSER", "default", "-eval", "-evalsha")
		},
			func(t *testing.T, s *redistest.Server, _ *redistest.Proxy) {
				command(t, s, "ACL", "SETUSER", "default", "+@all")
			}},
		{"EVALSHA denied", "denied", func(t *testing.T, s *redistest.Server, _ *redistest.Proxy) {
			command(t, s, "ACL", "SETUSER", "default", "-evalsha")
		},
			func(t *testing.T, s *redistest.Server, _ *redistest.Proxy) {
				command(t, s, "ACL", "SETUSER", "default", "+@all")
			}},
		{"another password", "denied", func(t *testing.T, s *redistest.Server, p *redistest.Proxy) {
			command(t, s, "CONFIG", "SET", "requirepass", "s3cret")
			p.Cut(true)
			p.Cut(false)
		}, func(t *testing.T, s *redistest.Server, _ *redistest.Proxy) {
			command(t, s, "CONFIG", "SET", "requirepass", "")
		}},
	}
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t)
			proxy := redistest.StartProxy(t, server.Address())
			a, b := join(t, fleet.Config{URL: urlOf(proxy.Address())}), join(t, fleet.Config{URL: urlOf(proxy.Address())})
			await(t, "the replicas are not two", func() bool { return a.Stats().Replicas == 2 && b.Stats().Replicas == 2 })
			hash := sha256.Sum256([]byte("{}"))
			f.begin(t, server, proxy)
			for _, r := range []*replica{a, b} {
				r.awaitUp(false)
				if n := r.divisor(); n != 2 {
					t.Errorf("rates are divided by %d", n)
				}
				if _, ok := r.Document("caller", hash); ok {
					t.Error("a document was found")
				}
				r.Register("caller", hash, "{}")
				r.Hint(fleet.Hint{1})
				await(t, "another reason", func() bool { return f.reason == "" || r.Stats().Refused[f.reason] > 0 })
			}
			f.end(t, server, proxy)
			for _, r := range []*replica{a, b} {
				r.awaitUp(true)
				await(t, "rates are still divided", func() bool { return r.divisor() == 1 })
				await(t, "nothing is settled", func() bool { return r.take(hour("c1", 0)).Settled })
			}
			await(t, "hints do not arrive", func() bool {
				a.Hint(fleet.Hint{2})
				return len(b.heard()) > 0
			})
			if lines := strings.Count(a.log.String(), "cannot be used"); lines > 1 {
				t.Errorf("%d lines in a minute in the log:\n%s", lines, a.log)
			}
		})
	}
}

// TestAbsentAtStart: a replica starts without Redis, with its full rate, and uses it when it is there.
func TestAbsentAtStart(t *testing.T) {
	server := redistest.Start(t)
	server.Kill()
	r := join(t, fleet.Config{URL: urlOf(server.Address())})
	await(t, "no connection was refused", func() bool { return r.Stats().Refused["connection"] > 0 })
	if s := r.Stats(); s.Up || r.divisor() != 1 {
		t.Errorf("up %v, rates divided by %d", s.Up, r.divisor())
	}
	server.Restart()
	r.awaitUp(true)
}

// TestPassword: the password is read again for each connection, and is never logged.
func TestPassword(t *testing.T) {
	server := redistest.Start(t, "--requirepass", "s3cret")
	file := filepath.Join(t.TempDir(), "password")
	must(t, os.WriteFile(file, []byte("wr0ng\n"), 0o600))
	r := join(t, fleet.Config{URL: urlOf(server.Address()), PasswordFile: file})
	await(t, "the password was not refused", func() bool { return r.Stats().Refused["denied"] > 0 })
	must(t, os.WriteFile(file, []byte("s3cret\n"), 0o600))
	r.awaitUp(true)
	byURL := joinUp(t, fleet.Config{URL: fleet.URL("redis://:s3cret@" + server.Address() + "/3")})
	byURL.take(hour("c1", 0))
	for _, log := range []string{r.log.String(), byURL.log.String()} {
		if strings.Contains(log, "wr0ng") || strings.Contains(log, "s3cret") {
			t.Errorf("the log has a password: %s", log)
		}
	}
	if _, err := fleet.Open(fleet.Config{URL: "redis://localhost", PasswordFile: "/missing/s3cret"}); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("a missing file: %v", err)
	}
}

// TestTopologies: a unix socket, a cluster and Sentinels, also when they fail over.
func TestTopologies(t *testing.T) {
	t.Run("unix", func(t *testing.T) {
		t.Parallel()
		r := joinUp(t, fleet.Config{URL: fleet.URL("unix://" + redistest.Start(t).Socket())})
		wantDebt(t, "settled", r.take(hour("c1", 0)), 1)
	})
	t.Run("cluster", func(t *testing.T) {
		t.Parallel()
		nodes := redistest.StartCluster(t).Addresses()
		url := urlOf(nodes[0] + "?cluster=on&addr=" + strings.Join(nodes[1:], "&addr="))
		a, b := joinUp(t, fleet.Config{URL: url}), joinUp(t, fleet.Config{URL: url})
		for i := range 20 { // on all nodes
			key := "c" + string(rune('a'+i))
			a.take(hour(key, 0))
			wantDebt(t, key, b.take(hour(key, 0)), 2)
		}
		hash := a.register("{ deposits { totalCount } }")
		await(t, "the document is not found", func() bool { _, ok := b.Document("caller", hash); return ok })
		await(t, "hints do not arrive", func() bool { a.Hint(fleet.Hint{1}); return len(b.heard()) > 0 })
	})
	t.Run("sentinel", func(t *testing.T) {
		t.Parallel()
		master := redistest.Start(t)
		redistest.StartReplica(t, master)
		sentinel := redistest.StartSentinel(t, master)
		url := urlOf(sentinel.Address() + "?master_set=" + redistest.Master)
		a, b := joinUp(t, fleet.Config{URL: url}), joinUp(t, fleet.Config{URL: url})
		a.take(hour("c1", 0))
		sentinel.Failover()
		await(t, "the new master is not used", func() bool {
			address := command(t, sentinel, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", redistest.Master)
			_, port, _ := strings.Cut(master.Address(), ":")
			return !strings.HasSuffix(address, port) && a.Stats().Up && b.Stats().Up
		})
		await(t, "nothing is settled", func() bool { return a.take(hour("c1", time.Hour)).Settled })
		await(t, "hints do not arrive", func() bool { a.Hint(fleet.Hint{1}); return len(b.heard()) > 0 })
	})
}
