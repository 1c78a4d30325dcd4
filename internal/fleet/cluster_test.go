package fleet

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// scripted are servers that answer each command with what a test says, and record the commands.
type scripted struct {
	answers map[string]func(words []string) string // by address
	mu      sync.Mutex
	got     []string // address and words
}

// dial connects to a server.
func (s *scripted) dial(_ context.Context, _, address string) (net.Conn, error) {
	answer := s.answers[address]
	if answer == nil {
		return nil, &net.OpError{Op: "dial", Err: io.ErrClosedPipe}
	}
	client, server := net.Pipe()
	answers := make(chan string, maxInFlight)
	go func() {
		for text := range answers {
			if _, err := io.WriteString(server, text); err != nil {
				return
			}
		}
	}()
	go func() {
		defer close(answers)
		defer server.Close()
		for lines := bufio.NewReader(server); ; {
			words, err := readCommand(lines)
			if err != nil {
				return
			}
			if words[0] == "HELLO" {
				answers <- "*0\r\n"
				continue
			}
			s.mu.Lock()
			s.got = append(s.got, address+" "+strings.Join(words, " "))
			s.mu.Unlock()
			if text := answer(words); text != "" {
				answers <- text
			}
		}
	}()
	return client, nil
}

// readCommand reads an array of strings.
func readCommand(lines *bufio.Reader) (words []string, err error) {
	var n int
	if _, err = fmt.Fscanf(lines, "*%d\r\n", &n); err != nil {
		return nil, err
	}
	for range n {
		var size int
		if _, err = fmt.Fscanf(lines, "$%d\r\n", &size); err != nil {
			return nil, err
		}
		word := make([]byte, size+2)
		if _, err = io.ReadFull(lines, word); err != nil {
			return nil, err
		}
		words = append(words, string(word[:size]))
	}
	return words, nil
}

// openScripted returns a fleet over such servers, without background work.
func openScripted(t *testing.T, url URL, s *scripted) *Fleet {
	t.Helper()
	f, err := Open(Config{URL: url, Documents: 1 << 10, Dial: s.dial, TLS: func() *tls.Config { return nil }, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	f.ledger = noLedger{}
	return f
}

// TestRedirections: a command goes to the node that has its key, and once to the one that a node names. One whose
// connection ends is not sent again, since it may have run.
func TestRedirections(t *testing.T) {
	const a, b, key = "10.0.0.1:6379", "10.0.0.2:6379", "123456789" // whose slot is 12,739
	ranges := func(split int) string {
		return fmt.Sprintf("*2\r\n*3\r\n:0\r\n:%d\r\n*2\r\n$0\r\n\r\n:6379\r\n*3\r\n:%d\r\n:16383\r\n*3\r\n$8\r\n10.0.0.2\r\n:6379\r\n$2\r\nid\r\n", split, split+1)
	}
	for _, tt := range []struct {
		name   string
		split  int // the last slot of a
		answer string
		want   []string
	}{
		{"to the first node", 12739, ":1\r\n", []string{a + " GET " + key}},
		{"to the second node", 12738, ":1\r\n", []string{b + " GET " + key}},
		{"moved", 12739, "-MOVED 12739 " + b + "\r\n", []string{a + " GET " + key, b + " GET " + key}},
		{"asked", 12739, "-ASK 12739 " + b + "\r\n", []string{a + " GET " + key, b + " ASKING", b + " GET " + key}},
		{"no node", 12739, "-MOVED 12739 10.0.0.3:6379\r\n", []string{a + " GET " + key}},
		{"not a reply", 12739, "!\r\n", []string{a + " GET " + key}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answer := func(own string) func([]string) string {
					return func(words []string) string {
						switch {
						case words[0] == "CLUSTER":
							return ranges(tt.split)
						case words[0] == "ASKING":
							return "+OK\r\n"
						case own == a:
							return tt.answer
						}
						return ":1\r\n"
					}
				}
				s := &scripted{answers: map[string]func([]string) string{a: answer(a), b: answer(b)}}
				f := openScripted(t, "redis://"+a+"?cluster=on", s)
				results, err := f.link.send(time.Second, keyed("GET", key))
				if err != nil || (results[0].err == nil) != (len(tt.want) > 1 || tt.answer == ":1\r\n") {
					t.Errorf("%v, %v", results, err)
				}
				synctest.Wait()
				s.mu.Lock()
				defer s.mu.Unlock()
				sent := slices.DeleteFunc(s.got, func(line string) bool { return strings.HasSuffix(line, "CLUSTER SLOTS") })
				if !slices.Equal(sent, tt.want) {
					t.Errorf("sent %q, want %q", sent, tt.want)
				}
			})
		})
	}
}

// TestSlots: the slot of a key is that of its part in braces.
func TestSlots(t *testing.T) {
	for key, want := range map[string]int{"123456789": 12739, "": 0, "{123456789}a": 12739, "a{123456789}{b}": 12739, "{}123456789": slotOf("{}1" + "23456789")} {
		if slot := slotOf(key); slot != want {
			t.Errorf("%q: %d, want %d", key, slot, want)
		}
	}
	if slotOf("{}123456789") == 12739 || slotOf("{123456789") == 12739 {
		t.Error("empty or open braces count")
	}
}
