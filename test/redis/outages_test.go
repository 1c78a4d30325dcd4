package redis

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pixgraph/fleet"
	"pixgraph/internal/redistest"
)

// TestServerReturns: replicas start without a server, use it when it is there, continue alone when it is gone, and
// use it again.
func TestServerReturns(t *testing.T) {
	server := redistest.Start(t)
	server.Kill()
	replicas := [2]*replica{}
	for i := range replicas {
		replicas[i] = join(t, fleet.Config{URL: urlOf(server.Address()), Patience: time.Hour})
	}
	for range 2 {
		for _, r := range replicas {
			r.awaitUp(false)
			before := r.Stats().Refused["connection"]
			await(t, "a refused connection", func() bool { return r.Stats().Refused["connection"] > before })
		}
		server.Restart()
		for i, r := range replicas {
			await(t, "two replicas", func() bool { s := r.Stats(); return s.Up && s.Replicas == 2 && r.divisor() == 1 })
			wantDebt(t, "settled", r.take(hour("c1", 0))[0], 1+i)
		}
		server.Kill()
		n := byte(0)
		await(t, "replicas that continue alone", func() bool {
			n++
			for _, r := range replicas {
				r.Hint(fleet.Hint{n})
			}
			return !replicas[0].Stats().Up && !replicas[1].Stats().Up
		})
	}
}

// TestOutages: whatever the reason for which a server refuses commands, replicas continue alone, and use it again
// when it accepts them.
func TestOutages(t *testing.T) {
	notShort(t)
	for _, tt := range []struct {
		name, reason string
		begin, end   func(*testing.T, *redistest.Server)
	}{
		{"stalled", "timeout", func(_ *testing.T, s *redistest.Server) { s.Pause() }, func(_ *testing.T, s *redistest.Server) { s.Resume() }},
		{"paused", "timeout", commands("CLIENT PAUSE 1000000 WRITE"), commands("CLIENT UNPAUSE")},
		{"full", "full", commands("CONFIG SET maxmemory-policy noeviction maxmemory 1"), commands("CONFIG SET maxmemory 0")},
		{"read-only", "read-only", commands("REPLICAOF 127.0.0.1 1"), commands("REPLICAOF NO ONE")},
		{"EVAL and EVALSHA denied", "denied", commands("ACL SETUSER default -eval -evalsha"), commands("ACL SETUSER default +@all")},
		{"EVALSHA denied", "denied", commands("ACL SETUSER default -evalsha"), commands("ACL SETUSER default +@all")},
		{"GETRANGE denied in the script", "denied", commands("ACL SETUSER default -getrange"), commands("ACL SETUSER default +@all")},
		{"SET denied in the script", "denied", commands("ACL SETUSER default -set"), commands("ACL SETUSER default +@all")},
		{"TIME denied in the script", "denied", commands("ACL SETUSER default -time"), commands("ACL SETUSER default +@all")},
		{"ZCARD denied in the script", "denied", commands("ACL SETUSER default -zcard"), commands("ACL SETUSER default +@all")},
		{"another password", "denied", commands("CONFIG SET requirepass s3cret", "CLIENT KILL TYPE normal"), commands("CONFIG SET requirepass ")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t)
			a := join(t, fleet.Config{URL: urlOf(server.Address()), Patience: 5 * time.Second})
			b := join(t, fleet.Config{URL: urlOf(server.Address()), Patience: 5 * time.Second})
			await(t, "two replicas", func() bool { return a.Stats().Replicas == 2 && b.Stats().Replicas == 2 })
			tt.begin(t, server)
			for _, r := range []*replica{a, b} {
				await(t, "a replica that continues alone", func() bool { s := r.Stats(); return !s.Up && s.Refused[tt.reason] > 0 })
				if n := r.divisor(); n != r.Stats().Replicas {
					t.Errorf("rates are divided by %d, of %d replicas", n, r.Stats().Replicas)
				}
			}
			tt.end(t, server)
			for _, r := range []*replica{a, b} {
				await(t, "a settled charge", func() bool { return r.take(hour("c1", 0))[0].Settled })
				await(t, "a replica that uses Redis", func() bool { return r.Stats().Up && r.divisor() == 1 })
			}
			await(t, "a hint", func() bool { a.Hint(fleet.Hint{2}); return len(b.heard()) > 0 })
		})
	}
}

// commands sends lines to a server.
func commands(lines ...string) func(*testing.T, *redistest.Server) {
	return func(t *testing.T, s *redistest.Server) {
		t.Helper()
		for _, line := range lines {
			command(t, s, strings.Split(line, " ")...)
		}
	}
}

// TestPassword: the password is read again for each connection, and is never logged.
func TestPassword(t *testing.T) {
	notShort(t)
	server := redistest.Start(t, "--requirepass", "s3cret")
	file := filepath.Join(t.TempDir(), "password")
	must(t, os.WriteFile(file, []byte("wr0ng\n"), 0o600))
	r := join(t, fleet.Config{URL: urlOf(server.Address()), PasswordFile: file})
	await(t, "a refused password", func() bool { return r.Stats().Refused["denied"] > 0 })
	must(t, os.WriteFile(file, []byte("s3cret\n"), 0o600))
	r.awaitUp(true)
	byURL := joinUp(t, fleet.URL("redis://:s3cret@"+server.Address()+"/3"))
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
