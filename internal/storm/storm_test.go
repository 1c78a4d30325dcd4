package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test's binary play the roles that it starts.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && (os.Args[1] == crowdRole || os.Args[1] == decoyRole) {
		main()
		return
	}
	m.Run() // the test's own main exits with what it found
}

// TestMeasure storms for a moment, at a gateway that waits for a moment only: what is not about time must be right. That is
// too short a wait for the small caller on a slow machine.
func TestMeasure(t *testing.T) {
	found, err := measure(t.Context(), plan{
		calm: 300 * time.Millisecond, hang: 2 * time.Second, greed: 300 * time.Millisecond, clients: 40,
		flags: []string{"--upstream-timeout=600ms", "--upstream-breaker-wait=300ms"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range found.storms {
		if err := s.judge(); err != nil {
			t.Error(err)
		}
		if s.crowd.Answers < 40 || s.crowd.Codes["UPSTREAM_UNAVAILABLE"] == 0 || s.crowd.Codes["UPSTREAM_TIMEOUT"] == 0 || s.crowd.Codes[good] == 0 {
			t.Errorf("%s: %+v", s.name(), s.crowd)
		}
		if s.calls < 40 || s.calls >= s.crowd.Answers || s.back <= 0 || s.elsewhere.answers() == 0 {
			t.Errorf("%s: %d calls for %d answers, back after %s, %d answers beside a decoy", s.name(), s.calls, s.crowd.Answers, s.back, s.elsewhere.answers())
		}
		if s.stormSeen.rss < 1<<20 || s.stormSeen.goroutines <= s.calmSeen.goroutines || s.stormSeen.inFlight == 0 {
			t.Errorf("%s: seen %+v", s.name(), s.stormSeen)
		}
	}
	if g := found.greed; g.crowd.Answers == 0 || g.beside.answers() == 0 || g.seen.waiting == 0 {
		t.Errorf("greed: %+v", g.crowd)
	}
	if text := found.text(); strings.Count(text, "\n") < 20 || strings.Contains(text, "%!") {
		t.Error(text)
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
	var out bytes.Buffer
	err := beCrowd(t.Context(), strings.NewReader(`{"Address":"127.0.0.1:1","Connections":2}`+"\n"), &out)
	if err == nil {
		t.Error("nobody to ask, and no error")
	}
}
