package fleet

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gomodule/redigo/redis"
)

const alone = "10.0.0.1:6379" // a server without others

// TestReplies: whatever a server answers, the wait ends in time, and the next commands are answered, if necessary on
// another connection. What a header says is not allocated before it is there.
func TestReplies(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
		reason       string // "" for an answer
		connections  int    // with that of the next command
	}{
		{"an answer", ":1\r\n", "", 1},
		{"nothing", "", reasonTimeout, 2},
		{"a part of an answer", "$5\r\nab", reasonTimeout, 2},
		{"the end of the connection", hangUp, reasonConnection, 2},
		{"a part and the end", "*2\r\n:1\r\n" + hangUp, reasonConnection, 2},
		{"two answers", ":1\r\n:2\r\n", "", 1},
		{"no protocol", "HTTP/1.1 400 Bad Request\r\n\r\n", reasonConnection, 2},
		{"a newer protocol", "%1\r\n+a\r\n+b\r\n", reasonConnection, 2},
		{"an unknown length", "$x\r\n", reasonConnection, 2},
		{"a negative length", "$-2\r\n", reasonConnection, 2},
		{"a large string", "$8388609\r\n", reasonConnection, 2},
		{"a string of more than 64 bits", "$99999999999999999999\r\n", reasonConnection, 2},
		{"a large array", "*1000000\r\n", reasonConnection, 2},
		{"large strings", "*2\r\n$5000000\r\n" + strings.Repeat("x", 5_000_000) + "\r\n$5000000\r\n", reasonConnection, 2},
		{"arrays in arrays", strings.Repeat("*1\r\n", 1_000_000), reasonConnection, 2},
		{"a line without an end", "+" + strings.Repeat("x", 9_000_000), reasonConnection, 2},
		{"loading", "-LOADING Redis is loading the dataset in memory\r\n", reasonNotReady, 1},
		{"without a user", "-NOAUTH Authentication required.\r\n", reasonDenied, 1},
		{"without permission", "-NOPERM this user has no permissions\r\n", reasonDenied, 1},
		{"full", "-OOM command not allowed when used memory > 'maxmemory'.\r\n", reasonFull, 1},
		{"another type", "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n", reasonKey, 1},
		{"read-only, as a replica after a failover", "-READONLY You can't write against a read only replica.\r\n", reasonReadOnly, 2},
		{"read-only in a script", "-ERR Error running script: -READONLY You can't write against a read only replica.\r\n", reasonReadOnly, 2},
		{"an unknown error", "-ERR value\r\n", reasonOther, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &scripted{}
				s.set(alone, always(tt.answer))
				f := s.open(t, "redis://"+alone, io.Discard)
				began := time.Now()
				results, err := f.link.send(MaxWait, keyed("GET", "a"))
				if err == nil {
					err = results[0].err
				}
				if (err != nil) != (tt.reason != "") || err != nil && reason(err) != tt.reason {
					t.Errorf("%v, want %q", err, tt.reason)
				}
				if took := time.Since(began); took > 0 && tt.reason != reasonTimeout || took > MaxWait {
					t.Errorf("it took %v", took)
				}
				time.Sleep(connectionTimeout)
				s.set(alone, always(":7\r\n"))
				results, err = f.link.send(MaxWait, keyed("GET", "b"))
				if err != nil || results[0].err != nil || tt.name != "two answers" && results[0].reply != int64(7) {
					t.Errorf("the next answer: %v, %v", results, err)
				}
				if n := len(s.made()); n != tt.connections {
					t.Errorf("%d connections, want %d", n, tt.connections)
				}
			})
		})
	}
}

// TestLimited: a reply within the limit is one wherever the network divides it, and however many there are.
func TestLimited(t *testing.T) {
	for size, length := range map[int]int{1: 100, 2: 100, 3: 100, 4096: 8_000_000} {
		replies := fmt.Sprintf("$5\r\na\r\n*b\r\n*3\r\n$-1\r\n*0\r\n*2\r\n+c\r\n:1\r\n$0\r\n\r\n*-1\r\n-ERR\r\n$%d\r\n%s\r\n", length, strings.Repeat("\n", length))
		l := &limited{}
		for i := range 3 {
			for rest := []byte(replies); len(rest) > 0; {
				n := min(size, len(rest))
				if !l.within(rest[:n]) {
					t.Fatalf("%d is too large in parts of %d, with %d bytes left", i, size, len(rest))
				}
				rest = rest[n:]
			}
		}
	}
}

// TestGreeting: what a connection begins with, for servers and proxies of several ages.
func TestGreeting(t *testing.T) {
	const unknown = "-ERR unknown command 'HELLO', with args beginning with: '2'\r\n"
	for _, tt := range []struct{ name, url, hello, want string }{
		{"without a user", "redis://" + alone, "*0\r\n", ""},
		{"a user, where HELLO is known", "redis://u:p@" + alone, "*0\r\n", ""},
		{"where it is not", "redis://" + alone, unknown, ""},
		{"with a password", "redis://:p@" + alone, unknown, "AUTH p"},
		{"with a user", "redis://u:p@" + alone, unknown, "AUTH u p"},
		{"with a database", "redis://" + alone + "/3", "*0\r\n", "SELECT 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &scripted{}
				s.set(alone, func(words []string) string {
					if words[0] == "HELLO" {
						return tt.hello
					}
					return "+OK\r\n"
				})
				f := s.open(t, URL(tt.url), io.Discard)
				if err := f.link.open(); err != nil {
					t.Error(err)
				}
				if got := strings.TrimPrefix(strings.Join(s.sent(""), ", "), alone+" "); got != tt.want {
					t.Errorf("sent %q, want %q", got, tt.want)
				}
			})
		})
	}
}

// TestInFlight: a stalled server holds as many commands as are allowed, and none for longer than its connection. It may
// also read nothing.
func TestInFlight(t *testing.T) {
	for name, reads := range map[string]bool{"a server that answers nothing": true, "a server that reads nothing": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, stalled := &scripted{}, make(chan struct{})
				s.set(alone, func(words []string) string {
					if words[0] != "HELLO" && !reads {
						<-stalled
					}
					return always("")(words)
				})
				f := s.open(t, "redis://"+alone, io.Discard)
				refused, began := 0, time.Now()
				for range maxInFlight + 10 {
					if _, err := f.link.send(0, keyed("SET", "a", strings.Repeat("x", 1<<10))); errors.Is(err, errBusy) {
						refused++
					} else if !errors.Is(err, errTimeout) {
						t.Error(err)
					}
				}
				synctest.Wait()
				if refused != 10 || len(s.made()) != 1 || time.Since(began) > 0 {
					t.Errorf("%d are refused, of %d connections, after %v", refused, len(s.made()), time.Since(began))
				}
				time.Sleep(connectionTimeout)
				synctest.Wait()
				if n := f.link.inFlight.Load(); n != 0 {
					t.Errorf("%d are in flight", n)
				}
				s.set(alone, always(":1\r\n"))
				close(stalled)
				if results, err := f.link.send(MaxWait, keyed("GET", "a")); err != nil || results[0].err != nil {
					t.Errorf("the next command: %v, %v", results, err)
				}
			})
		})
	}
}

// TestLeftAlone: the command after the end of an idle connection fails, since it may have run, and the next one is
// answered.
func TestLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{}
		s.set(alone, always(":1\r\n"))
		f := s.open(t, "redis://"+alone, io.Discard)
		for i, want := range []bool{true, false, true} {
			results, err := f.link.send(MaxWait, keyed("GET", "a"))
			if err != nil || (results[0].err == nil) != want {
				t.Errorf("command %d: %v, %v", i, results, err)
			}
			if i == 0 {
				_ = s.made()[0].Close()
			}
		}
		if n := len(s.made()); n != 2 {
			t.Errorf("%d connections", n)
		}
	})
}

// TestOneAttempt: commands share the attempt to connect that they need, also if it fails or panics. After a pause they
// make another one.
func TestOneAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{}
		s.set(alone, always(":1\r\n"))
		attempts, config := 0, s.open(t, "redis://"+alone, io.Discard).config
		l := &link{observe: func(time.Duration) {}, servers: newServer(alone, func(address string) (redis.Conn, error) {
			time.Sleep(time.Millisecond)
			switch attempts++; attempts {
			case 1:
				return nil, io.ErrUnexpectedEOF
			case 2:
				panic("in an attempt")
			}
			return config.open(t.Context(), address, false)
		})}
		t.Cleanup(l.close)
		for i, want := range []error{io.ErrUnexpectedEOF, errPanic, nil} {
			for range 2 { // the second time during the pause
				ended := make(chan error, 10)
				for range cap(ended) {
					go func() {
						results, err := l.send(time.Minute, keyless("PING"))
						if err == nil {
							err = results[0].err
						}
						ended <- err
					}()
				}
				for range cap(ended) {
					if err := <-ended; !errors.Is(err, want) || attempts != i+1 {
						t.Errorf("attempt %d: %v", attempts, err)
					}
				}
			}
			time.Sleep(2 * connectPause)
		}
	})
}

// TestLastAnswers: the answers before the end of a connection count, each for its command.
func TestLastAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, answered := &scripted{}, 0
		s.set(alone, func(words []string) string {
			if words[0] == "HELLO" {
				return "*0\r\n"
			}
			if answered++; answered > 50 {
				return hangUp
			}
			return ":" + words[1] + "\r\n"
		})
		commands := make([]command, 100)
		for i := range commands {
			commands[i] = keyless("ECHO", i)
		}
		results, err := s.open(t, "redis://"+alone, io.Discard).link.send(MaxWait, commands...)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range results {
			if answered := r.err == nil && r.reply == int64(i); answered != (i < 50) {
				t.Errorf("command %d: %v", i, r)
			}
		}
	})
}

// TestLargeAnswers: the answers to commands that are sent together are bounded in bytes together.
func TestLargeAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{}
		s.set(alone, func(words []string) string {
			if words[0] == "HELLO" {
				return "*0\r\n"
			}
			return "$3000000\r\n" + strings.Repeat("x", 3_000_000) + "\r\n"
		})
		f := s.open(t, "redis://"+alone, io.Discard)
		for n, want := range map[int]error{2: nil, 3: errLarge} {
			results, err := f.link.send(MaxWait, slices.Repeat([]command{keyed("GET", "a")}, n)...)
			if err != nil || !errors.Is(results[n-1].err, want) {
				t.Errorf("%d answers: %v, %v", n, err, results[n-1].err)
			}
		}
	})
}

// TestClose: commands of a stalled server end with the fleet, also those that wait for a connection.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{}
		s.set(alone, always(""))
		f := s.open(t, "redis://"+alone, io.Discard)
		s.set("10.0.0.2:6379", func([]string) string { return "" })
		connecting := newServer("10.0.0.2:6379", func(address string) (redis.Conn, error) {
			return f.config.open(f.ctx, address, false)
		})
		ended, began := make(chan error), time.Now()
		do := func(s servers) { ended <- s.do([]command{keyless("PING")})[0].err }
		go do(f.link)
		go do(connecting)
		synctest.Wait()
		f.Close()
		connecting.close()
		go do(f.link) // after the end
		for range 3 {
			if err, took := <-ended, time.Since(began); err == nil || took > 0 {
				t.Errorf("%v after %v", err, took)
			}
		}
	})
}
