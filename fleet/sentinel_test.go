package fleet

import (
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// TestMaster: commands go to the master that the first Sentinel which knows one names.
func TestMaster(t *testing.T) {
	const first, second, a, b = "10.0.1.1:26379", "10.0.1.2:26379", "10.0.0.1:6379", "10.0.0.2:6379"
	names := func(address string) string {
		host, port, _ := net.SplitHostPort(address)
		return fmt.Sprintf("*2\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n", len(host), host, len(port), port)
	}
	const silent = "*0\r\n"
	for _, tt := range []struct {
		name          string
		first, second string // what the Sentinels answer; "" for one that is away
		a, b          string // the roles
		want          string
		err           error
	}{
		{"both", names(a), names(a), "master", "slave", a, nil},
		{"the second", "", names(a), "master", "slave", a, nil},
		{"the first knows no set", "*-1\r\n", names(a), "master", "slave", a, nil},
		{"the first answers what is not an address", silent, names(a), "master", "slave", a, nil},
		{"the first has not noticed the failover", names(a), names(b), "slave", "master", b, nil},
		{"the first names a server without a role", names(a), names(b), "", "master", b, nil},
		{"none has noticed it", names(a), names(a), "slave", "master", "", errReplica},
		{"none knows the set", "*-1\r\n", "*-1\r\n", "master", "slave", "", ErrMasterSet},
		{"none answers an address", silent, silent, "master", "slave", "", ErrNotRedis},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &scripted{}
				for address, answer := range map[string]string{first: tt.first, second: tt.second} {
					if answer != "" {
						s.set(address, always(answer))
					}
				}
				for address, role := range map[string]string{a: tt.a, b: tt.b} {
					s.set(address, func(words []string) string {
						switch {
						case words[0] != "ROLE":
							return working(words)
						case role == "":
							return "*0\r\n"
						}
						return fmt.Sprintf("*1\r\n$%d\r\n%s\r\n", len(role), role)
					})
				}
				f := s.open(t, "redis://"+first+"?master_set=m&addr="+second, io.Discard)
				results, err := f.link.send(time.Minute, keyed("GET", "k"))
				if err == nil {
					err = results[0].err
				}
				if !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
					t.Errorf("%v, want %v", err, tt.err)
				}
				if sent := s.sent("GET k"); tt.want != "" && (len(sent) != 1 || sent[0] != tt.want+" GET k") {
					t.Errorf("sent %q", sent)
				}
			})
		})
	}
}

// TestReplacedMaster: a master that the network separates from the Sentinels is left when these name another one,
// although it still answers.
func TestReplacedMaster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const sentinel, old = "10.0.1.1:26379", "10.0.0.2:6379"
		s := &scripted{}
		for _, address := range []string{alone, old} {
			s.set(address, func(words []string) string {
				if words[0] == "ROLE" {
					return "*1\r\n$6\r\nmaster\r\n"
				}
				return working(words)
			})
		}
		s.set(sentinel, always("*2\r\n$8\r\n10.0.0.2\r\n$4\r\n6379\r\n"))
		f := s.open(t, "redis://"+sentinel+"?master_set=m", io.Discard)
		f.Start(&counted{}, func([]Hint) {})
		time.Sleep(time.Minute)
		if !f.Stats().Up || len(s.sent("EVAL ")) == 0 {
			t.Fatalf("before: %+v", f.Stats())
		}
		s.set(sentinel, always("*2\r\n$8\r\n10.0.0.1\r\n$4\r\n6379\r\n"))
		time.Sleep(masterEvery * 3 / 2)
		s.mu.Lock()
		s.got = nil
		s.mu.Unlock()
		time.Sleep(2 * silence)
		for _, word := range []string{"EVAL ", "PUBLISH", "SUBSCRIBE"} {
			sent := s.sent(word)
			if len(sent) == 0 {
				t.Errorf("no %s", word)
			}
			for _, line := range sent {
				if line[:len(alone)] != alone {
					t.Errorf("to the old master: %s", line)
				}
			}
		}
	})
}
