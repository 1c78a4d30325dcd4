package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestMain lets the test's binary play the roles that it starts.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && (os.Args[1] == crowdRole || os.Args[1] == decoyRole) {
		main()
		return
	}
	// The roles are this binary too, which with the race detector sleeps for a second before it exits.
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	m.Run() // the test's own main exits with what it found
}

// TestMeasure storms with the fewest of clients and no time at all: everything is started, asked, looked at and ended once.
// What a storm does to a gateway is for `make storm` to judge, on a machine that has nothing else to do.
func TestMeasure(t *testing.T) {
	found, err := measure(t.Context(), plan{
		calm: time.Nanosecond, hang: time.Nanosecond, greed: time.Nanosecond, clients: 2, records: 64,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.storms) != 2 || !found.storms[0].patient || found.storms[1].patient {
		t.Fatalf("storms %+v", found.storms)
	}
	for _, s := range found.storms {
		if s.crowd.Answers == 0 || s.crowd.Codes[good] == 0 || s.crowd.Good.IsZero() {
			t.Errorf("%s: %+v", s.name(), s.crowd)
		}
		for name, part := range map[string]sample{"calm": s.calm, "raging": s.raging, "elsewhere": s.elsewhere} {
			if part.answers() < dispatchers || len(part.codes) == 0 {
				t.Errorf("%s, %s: %+v", s.name(), name, part)
			}
		}
		for name, seen := range map[string]seen{"calm": s.calmSeen, "storm": s.stormSeen} {
			if seen.rss < 1<<20 || seen.goroutines == 0 || seen.took <= 0 || len(seen.core) == 0 || len(seen.dispatcher) == 0 {
				t.Errorf("%s, %s: %+v", s.name(), name, seen)
			}
		}
	}
	if g := found.greed; g.alone.answers() < small || g.beside.answers() < small || g.seen.rss < 1<<20 {
		t.Errorf("greed: %+v", g)
	}
	if text := found.text(); strings.Count(text, "\n") < 20 || strings.Contains(text, "%!") {
		t.Error(text)
	}
}

// anything is a request that a server of a test takes.
const anything = "POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"

// TestCrowd: a crowd counts what it hears by its code, and tells of its first good answer.
func TestCrowd(t *testing.T) {
	const refusals = 20
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answer := `{"data":{}}`
		if asked.Add(1) <= refusals {
			answer = refusal
		}
		_, _ = io.WriteString(w, answer)
	}))
	defer server.Close()
	crowd, err := startCrowd(t.Context(), order{
		Address: strings.TrimPrefix(server.URL, "http://"), Connections: 3, Requests: [][]byte{[]byte(anything)},
	})
	if err != nil {
		t.Fatal(err)
	}
	all, err := crowd.awaitGood(patience)
	refused := all.Codes["UPSTREAM_UNAVAILABLE"] // but for those under way at the end
	if err != nil || refused == 0 || refused > refusals || all.Codes[good] == 0 || all.Answers != refused+all.Codes[good] {
		t.Errorf("it heard %+v, %v", all, err)
	}
}

// TestCrowdIsSentHomeAtOnce: on a busy machine it may not have dialed by then, which is no error.
func TestCrowdIsSentHomeAtOnce(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	all, err := order{Address: "127.0.0.1:1", Connections: 2}.obey(ctx, func(time.Time) { t.Error("it heard something good") })
	if err != nil || all.Answers != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestDecoy(t *testing.T) {
	decoy, address, err := startDecoy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c, err := dial(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for range 2 { // over one connection
		if answer, err := c.ask([]byte(anything)); err != nil || string(answer) != refusal {
			t.Errorf("%s, %v", answer, err)
		}
	}
	if err := decoy.stop(); err != nil {
		t.Error(err)
	}
}

// stormy is a storm in which all was as it should be.
func stormy() storm {
	fine := sample{codes: map[string]int{good: 2}, latencies: []time.Duration{1, 2}}
	return storm{calm: fine, raging: fine, stormSeen: seen{core: []string{"closed", "open"}, dispatcher: []string{"closed"}}}
}

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*findings)
		says   string
	}{
		{"all is well", func(*findings) {}, ""},
		{"slow", func(f *findings) { f.storms[0].raging.latencies = []time.Duration{time.Hour, time.Hour} }, ""},
		{"an error for the dispatcher", func(f *findings) { f.storms[0].raging.codes = map[string]int{good: 1, "OVERLOADED": 1} }, "OVERLOADED 1, ok 1"},
		{"nobody asked", func(f *findings) { f.storms[0].calm = sample{} }, "were not answered"},
		{"a breaker that stays closed", func(f *findings) { f.storms[0].stormSeen.core = []string{"closed"} }, "did not open"},
		{"the other breaker opens", func(f *findings) { f.storms[0].stormSeen.dispatcher = []string{"closed", "open"} }, "did not stay closed"},
		{"more calls than turns", func(f *findings) { f.storms[0].stormSeen.inFlight = 257 }, "257 calls"},
		{"the small caller is refused", func(f *findings) { f.greed.beside.codes = map[string]int{"UPSTREAM_UNAVAILABLE": 2} }, "small caller"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := findings{storms: []storm{stormy()}, greed: greed{alone: stormy().calm, beside: stormy().calm}}
			tt.change(&f)
			err := f.judge()
			if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v, want %q", err, tt.says)
			}
		})
	}
}

func TestRatio(t *testing.T) {
	for storms, want := range map[time.Duration]string{29: "2.9", 30: "3.0", 31: "3.1  ABOVE 3"} {
		s := storm{calm: sample{latencies: []time.Duration{10}}, raging: sample{latencies: []time.Duration{storms}}}
		if got := s.ratio(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestAnswers reads codes and waits out of answers as the gateway writes them.
func TestAnswers(t *testing.T) {
	const refused = `{"errors":[{"message":"the code: \"x\"","path":["a"],"extensions":{"code":"UPSTREAM_UNAVAILABLE","requestId":"A","retryAfterMs":4321,"retryable":true}}],"data":{"a":null}}`
	for _, tt := range []struct {
		name, answer, code string
		after              time.Duration
	}{
		{"refused", refused, "UPSTREAM_UNAVAILABLE", 4321 * time.Millisecond},
		{"refused until nobody knows", strings.Replace(refused, `"retryAfterMs":4321,`, "", 1), "UPSTREAM_UNAVAILABLE", 0},
		{"the last of its object", strings.Replace(refused, `,"retryable":true`, "", 1), "UPSTREAM_UNAVAILABLE", 4321 * time.Millisecond},
		{"good", `{"data":{"a":{"code":"x"}}}`, good, 0},
		{"no code", `{"errors":[{"message":"a"}]}`, "no code", 0},
	} {
		if code, after := codeOf([]byte(tt.answer)), retryAfter([]byte(tt.answer)); code != tt.code || after != tt.after {
			t.Errorf("%s: %s, %s", tt.name, code, after)
		}
	}
	if codeOf([]byte(refusal)) != "UPSTREAM_UNAVAILABLE" {
		t.Error("the decoy's answer is none of the gateway's")
	}
}

func TestParsePlan(t *testing.T) {
	for _, tt := range []struct {
		name, args string
		hang       time.Duration // 0 when the arguments are refused
		flags      string
	}{
		{"as issue 6 has it", "", 30 * time.Second, ""},
		{"briefly, with settings", "-hang 18s -- --profiling=on", 18 * time.Second, "--profiling=on"},
		{"no time", "-hang 0", 0, ""},
		{"no clients", "-clients 0", 0, ""},
		{"unknown flag", "-fast", 0, ""},
	} {
		p, err := parsePlan(strings.Fields(tt.args), io.Discard)
		if p.hang != tt.hang || strings.Join(p.flags, " ") != tt.flags || (err != nil) != (tt.hang == 0) {
			t.Errorf("%s: %+v, %v", tt.name, p, err)
		}
	}
}

// TestCrowdWithoutGateway fails, and says so.
func TestCrowdWithoutGateway(t *testing.T) {
	stdin, feed := io.Pipe()
	go func() { _, _ = io.WriteString(feed, `{"Address":"127.0.0.1:1","Connections":2}`+"\n") }()
	if err := beCrowd(t.Context(), stdin, io.Discard); err == nil {
		t.Error("nobody to ask, and no error")
	}
	_ = feed.Close()
}
