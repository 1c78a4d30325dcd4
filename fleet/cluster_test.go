package fleet

import (
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestRedirections: a command goes to the node that has its key, and once to the one that a node names. One whose
// connection ends is not sent again, since it may have run.
func TestRedirections(t *testing.T) {
	const a, b, key = "10.0.0.1:6379", "10.0.0.2:6379", "123456789" // whose slot is 12,739
	for _, tt := range []struct {
		name   string
		split  int    // the last slot of a
		answer string // of a
		want   []string
	}{
		{"to the first node", 12739, ":1\r\n", []string{a + " GET " + key}},
		{"to the second node", 12738, ":1\r\n", []string{b + " GET " + key}},
		{"moved", 12739, "-MOVED 12739 " + b + "\r\n", []string{a + " GET " + key, b + " GET " + key}},
		{"moved to another port", 12739, "-MOVED 12739 :6380\r\n", []string{a + " GET " + key, "10.0.0.1:6380 GET " + key}},
		{"moved to an IPv6 address", 12739, "-MOVED 12739 fd00::1:6379\r\n", []string{a + " GET " + key, "[fd00::1]:6379 GET " + key}},
		{"asked", 12739, "-ASK 12739 " + b + "\r\n", []string{a + " GET " + key, b + " ASKING", b + " GET " + key}},
		{"moved again and again", 12739, "-MOVED 12739 " + a + "\r\n", []string{a + " GET " + key, a + " GET " + key}},
		{"to no node", 12739, "-MOVED 12739 10.0.0.3:6379\r\n", []string{a + " GET " + key}},
		{"to no address", 12739, "-MOVED 12739 x\r\n", []string{a + " GET " + key}},
		{"a reason without an address", 12739, "-MOVED\r\n", []string{a + " GET " + key}},
		{"no slots", 12739, "-CLUSTERDOWN\r\n", []string{a + " GET " + key}},
		{"not a reply", 12739, "!\r\n", []string{a + " GET " + key}},
		{"the end of the connection", 12739, hangUp, []string{a + " GET " + key}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &scripted{}
				for address, answer := range map[string]string{a: tt.answer, b: ":1\r\n", "10.0.0.1:6380": ":1\r\n", "[fd00::1]:6379": ":1\r\n"} {
					s.set(address, func(words []string) string {
						switch words[0] {
						case "CLUSTER": // a does not know its own host
							return fmt.Sprintf("*2\r\n*3\r\n:%d\r\n:16383\r\n*3\r\n$8\r\n10.0.0.2\r\n:6379\r\n$2\r\nid\r\n*3\r\n:0\r\n:%d\r\n*2\r\n$0\r\n\r\n:6379\r\n",
								tt.split+1, tt.split)
						case "ASKING":
							return "+OK\r\n"
						}
						return always(answer)(words)
					})
				}
				f := s.open(t, "redis://"+a+"?cluster=on", io.Discard)
				results, err := f.link.send(time.Second, keyed("GET", key))
				followed := tt.answer == ":1\r\n" || len(tt.want) > 1 && tt.want[1][:len(a)] != a
				if err != nil || (results[0].err == nil) != followed {
					t.Errorf("%v, %v", results, err)
				}
				synctest.Wait()
				if sent := slices.Concat(s.sent("GET"), s.sent("ASKING")); !slices.Equal(slices.Sorted(slices.Values(sent)), slices.Sorted(slices.Values(tt.want))) {
					t.Errorf("sent %q, want %q", sent, tt.want)
				}
			})
		})
	}
}

// TestRedirectedTogether: commands that were moved are sent again at the same time, so none waits for the others.
func TestRedirectedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{}
		s.set("10.0.0.1:6379", always("-MOVED 1 10.0.0.2:6379\r\n"))
		s.set("10.0.0.2:6379", always(""))
		f := s.open(t, "redis://10.0.0.1:6379?cluster=on", io.Discard)
		commands := make([]command, maxSettled)
		for i := range commands {
			commands[i] = keyed("GET", fmt.Sprint(i))
		}
		_, _ = f.link.send(MaxWait, commands...)
		time.Sleep(connectionTimeout)
		if n := f.link.inFlight.Load(); n != 0 {
			t.Errorf("%d commands are in flight after the end of their connection", n)
		}
	})
}

// TestReplacedNode: the slots are read again when a node does not answer, from one that does.
func TestReplacedNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const a, b = "10.0.0.1:6379", "10.0.0.2:6379"
		owner, s := a, &scripted{}
		for _, address := range []string{a, b} {
			s.set(address, func(words []string) string {
				if words[0] == "CLUSTER" {
					return fmt.Sprintf("*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$8\r\n%s\r\n:6379\r\n", owner[:8])
				}
				return always(":1\r\n")(words)
			})
		}
		f := s.open(t, "redis://"+a+"?cluster=on&addr="+b, io.Discard)
		for i, fails := range []bool{false, true, false} {
			results, err := f.link.send(MaxWait, keyed("GET", fmt.Sprint(i)))
			if err != nil || (results[0].err != nil) != fails {
				t.Errorf("command %d: %v, %v", i, results, err)
			}
			if i == 0 {
				owner = b
				s.leave(a)
			}
			time.Sleep(refreshEvery)
		}
		if sent := s.sent("GET"); sent[len(sent)-1] != b+" GET 2" {
			t.Errorf("sent %q", sent)
		}
	})
}

// TestSlots: the slot of a key is that of its part in braces.
func TestSlots(t *testing.T) {
	for key, want := range map[string]int{"123456789": 12739, "": 0, "{123456789}a": 12739, "a{123456789}{b}": 12739} {
		if slot := slotOf(key); slot != want {
			t.Errorf("%q: %d, want %d", key, slot, want)
		}
	}
	if slotOf("{}123456789") == 12739 || slotOf("{123456789") == 12739 {
		t.Error("empty or open braces count")
	}
}
