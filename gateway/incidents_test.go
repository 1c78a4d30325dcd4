package gateway

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pixgraph/internal/redistest"
	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/sandbox"
	"pixgraph/upstream/sandbox/issuer"
)

// replica is a gateway of two whose metrics an incident changes. The other one has usual traffic.
type replica struct {
	*running
	box   *sandbox.Sandbox
	proxy *redistest.Proxy // between the replica and Redis
	t     *testing.T
}

// incident is what happens to a replica for half an hour, and the alerts that must fire: no others.
type incident struct {
	name   string
	flags  string
	during func(replica) // what happens in a minute
	until  string        // a pattern that the metrics match at the end of the minute, if they change by themselves
	shown  func(history) // or what the metrics of a quiet gateway show in addition, for what takes long or cannot be caused
	want   string
}

// TestIncidents: Prometheus itself evaluates the alerts over what the metrics of two real gateways show, of which one
// has an incident. Exactly the right alerts fire.
func TestIncidents(t *testing.T) {
	wanted := map[string]bool{}
	for _, i := range incidents() {
		for _, name := range strings.Fields(i.want) {
			wanted["Pixgraph"+name] = true
		}
	}
	for _, rule := range alertRules(t) {
		if !wanted[rule.Alert] {
			t.Errorf("no incident has the alert %s", rule.Alert)
		}
	}
	redis := redistest.Start(t)
	healthy := start(t, redis, "--redis-url=REDIS")
	begun := healthy.scrapeWith(redisUsed)
	healthy.traffic("usual")
	ended := healthy.scrapeWith(redisUsed)
	quiet := start(t, redis, "").scrape()
	for _, i := range incidents() {
		t.Run(i.name, func(t *testing.T) {
			t.Parallel()
			h := history{}
			h.repeat(t, "healthy:9090", begun, ended)
			h.fastRedis("healthy:9090")
			if i.shown != nil {
				h.repeat(t, "sick:9090", quiet, quiet)
				i.shown(h)
			} else {
				r := start(t, redis, i.flags)
				before := r.scrape()
				i.during(r)
				h.repeat(t, "sick:9090", before, r.scrapeWith(i.until))
				if !strings.Contains(i.want, "Redis") {
					h.fastRedis("sick:9090")
				}
			}
			if got := strings.Join(h.alertsFiring(t), " "); got != i.want {
				t.Errorf("%q fire, want %q", got, i.want)
			}
		})
	}
}

// redisUsed matches the metrics of a replica that uses Redis.
const redisUsed = `pixgraph_redis_up 1\n`

// start starts a gateway. The flags may name its issuer, a manifest, and a Redis server behind a proxy of its own.
func start(t *testing.T, redis *redistest.Server, flags string) replica {
	t.Helper()
	proxy := redistest.StartProxy(t, redis.Address())
	box, manifest := gatewaytest.NewSandbox(t), filepath.Join(t.TempDir(), "manifest.json")
	if err := os.WriteFile(manifest, []byte(`{"other":"query Other { __typename }"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	flags = strings.NewReplacer("ISSUER", box.IssuerURL(), "MANIFEST", manifest, "REDIS", "redis://"+proxy.Address()).Replace(flags)
	r := launch(t, gatewaytest.Flags(box, strings.Fields(flags)...)...)
	waitFor(t, func() bool { return r.admin.Get("/readyz").Status == http.StatusOK })
	return replica{r, box, proxy, t}
}

// redisCommands returns how many commands Redis has answered within 50 ms, and how many in all, when it is used.
func (r replica) redisCommands() (fast, all int) {
	r.t.Helper()
	const series = `redis_latency_seconds_(?:bucket\{le="0.05"\}|count) (\d+)`
	found := regexp.MustCompile(series).FindAllStringSubmatch(r.scrapeWith(redisUsed), -1)
	fast, _ = strconv.Atoi(found[0][1])
	all, _ = strconv.Atoi(found[1][1])
	return fast, all
}

// scrapeWith reads the metrics when they match a pattern.
func (r replica) scrapeWith(pattern string) (text string) {
	matches := regexp.MustCompile(pattern).MatchString
	waitFor(r.t, func() bool { text = r.scrape(); return matches(text) })
	return text
}

// traffic sends 75 requests of five callers: with fewer targets, a circuit breaker may count all of them as one.
func (r replica) traffic(name string, audience ...string) {
	samples := r.box.Samples()
	var tokens []string
	for i := range 5 {
		tokens = append(tokens, r.box.Issuer().Mint(issuer.Grant{
			Subject: fmt.Sprint(name, i), Scopes: []string{issuer.ScopeDispatcher}, TTL: time.Hour, Audience: audience,
		}))
	}
	for range 3 {
		r.send(tokens, "{ deposits(perPage: 2) { nodes { id status } } }", "{ withdrawals(perPage: 2) { nodes { id status } } }",
			fmt.Sprintf("{ transaction(id: %q) { id status } }", samples.Transaction),
			fmt.Sprintf("{ transaction(id: %q) { id status } }", samples.UnknownTransaction),
			fmt.Sprintf("{ notification(id: %q) { id status } }", samples.Notification))
	}
}

// send sends each document with each token, the tokens of a document at the same time.
func (r replica) send(tokens []string, documents ...string) {
	for _, document := range documents {
		var sent sync.WaitGroup
		for _, token := range tokens {
			sent.Go(func() { r.QueryAs(token, document) })
		}
		sent.Wait()
	}
}

// fault is an incident of an API.
func fault(f sandbox.Fault) func(replica) {
	return func(r replica) {
		r.box.Inject(f)
		r.traffic("new")
	}
}

// values shows values of a series of the sick replica.
func values(metric, labels, values string) func(history) {
	return func(h history) { h.set("sick:9090", metric, labels, values) }
}

func statuses(text string) func([]byte) []byte {
	pattern := regexp.MustCompile(`"status":"[A-Z_]+","statusHistory"`)
	return func(body []byte) []byte { return pattern.ReplaceAll(body, []byte(`"status":`+text+`,"statusHistory"`)) }
}

func incidents() []incident {
	core := func(f sandbox.Fault) func(replica) { f.Service = sandbox.Core; return fault(f) }
	dispatcher := func(f sandbox.Fault) func(replica) { f.Service = sandbox.Dispatcher; return fault(f) }
	return []incident{
		{name: "a quiet gateway", during: func(replica) {}},
		{name: "usual traffic", during: func(r replica) { r.traffic("new") }},
		{name: "a client that misuses it", flags: "--live-streams-per-caller=2", during: func(r replica) {
			r.Token = r.box.Token()
			clientFaults(r.t, r.running, r.box)
			streamFaults(r.t, r.running, r.box)
			for range 100 {
				r.QueryAs(r.Token+"x", "{ __typename }")
			}
			r.traffic("new")
		}},

		{name: "the process is down", shown: values(upMetric, "", "0x80"), want: "Down"},
		{name: "no process is known", shown: func(h history) { clear(h) }, want: "Absent"},
		{name: "restarts in a loop", shown: values("process_start_time_seconds", "", "0+60x80"), want: "Restarts"},
		{name: "a crash at each start", shown: values(upMetric, "", strings.Repeat("1 0 0 ", 27)), want: "Restarts"},

		{name: "the core fails", during: core(sandbox.Fault{Status: http.StatusInternalServerError}), want: "BreakerOpen Errors Shedding UpstreamFailing"},
		{name: "the dispatcher resets connections", during: dispatcher(sandbox.Fault{Kind: sandbox.FaultReset}), want: "Errors UpstreamFailing"},
		{name: "the core hangs", flags: "--upstream-timeout=300ms --upstream-breaker-percent=0",
			during: core(sandbox.Fault{Kind: sandbox.FaultHang}), want: "Errors UpstreamFailing"},
		{name: "the core is slow", flags: "--upstream-timeout=40s --operation-timeout=50s", during: func(r replica) {
			r.box.Inject(sandbox.Fault{Service: sandbox.Core, Latency: 6 * time.Second})
			r.send(strings.Fields(strings.Repeat(r.box.Token()+" ", 10)), "{ deposits { totalCount } }")
		}, want: "Slow UpstreamSlow"},
		{name: "the dispatcher limits the rate", during: dispatcher(sandbox.Fault{Status: http.StatusTooManyRequests}), want: "RateLimitedByUpstream"},
		{name: "the core sends invalid records", during: fault(sandbox.Fault{Route: sandbox.RouteDeposit, Mutate: statuses("7")}), want: "BadRecords Errors"},
		{name: "the core has a new status", during: fault(sandbox.Fault{Route: sandbox.RouteDeposit, Mutate: statuses(`"NEW"`)}), want: "UnknownEnumValues"},
		{name: "a bug", shown: values("pixgraph_internal_errors_total", "", "0+1x80"), want: "InternalErrors"},

		{name: "the core accepts no token", during: core(sandbox.Fault{Status: http.StatusUnauthorized}), want: "CallersRefused"},
		{name: "the dispatcher permits nobody", during: dispatcher(sandbox.Fault{Status: http.StatusForbidden}), want: "CallersRefused"},
		{name: "the core accepts no token of the only caller", during: func(r replica) {
			r.box.Inject(sandbox.Fault{Service: sandbox.Core, Status: http.StatusUnauthorized})
			r.send([]string{r.box.Token()}, "{ deposits { totalCount } }")
		}},
		{name: "nobody has the trusted documents", flags: "--persisted-only=on --persisted-manifest=MANIFEST", during: func(r replica) {
			r.traffic("new")
		}, want: "CallersFail"},
		{name: "a client with a record that fails", during: func(r replica) {
			r.box.Inject(sandbox.Fault{ID: r.box.Samples().OpenTransaction, Status: http.StatusInternalServerError})
			for range 40 {
				r.send([]string{r.box.Token()}, fmt.Sprintf("{ transaction(id: %q) { id } }", r.box.Samples().OpenTransaction))
			}
			r.traffic("new")
		}},
		{name: "the clock is ahead", shown: values("pixgraph_time_seconds", "", "3600+60x80"), want: "Clock"},
		{name: "tabs that nobody closed", during: func(r replica) {
			for i := range 5 {
				expired := r.box.Issuer().Mint(issuer.Grant{Subject: fmt.Sprint("tab", i), TTL: -time.Hour})
				r.send([]string{expired, expired, expired}, "{ __typename }")
			}
		}},
		{name: "the audience has changed", during: func(r replica) { r.traffic("new", "https://new.example") }, want: "Audience TokensRefused"},
		{name: "the issuer is down after a rotation", during: func(r replica) {
			old := r.box.Token()
			r.QueryAs(old, "{ __typename }").WantOK()
			r.box.Issuer().SetDown(true)
			r.box.Issuer().Rotate(true)
			renewed := r.box.Token()
			// The gateway fetches keys every ten seconds at most.
			waitFor(r.t, func() bool { return r.QueryAs(renewed, "{ __typename }").Status == http.StatusServiceUnavailable })
			r.send([]string{renewed}, "{ a: __typename }", "{ b: __typename }", "{ c: __typename }")
		}, want: "IssuerDown KeysNotRenewed"},
		{name: "one of two issuers is down at the start", flags: "--auth-issuer=ISSUER,http://127.0.0.1:9",
			during: func(r replica) { r.traffic("new") }, want: "NoKeys"},
		{name: "keys cannot be renewed", shown: values("pixgraph_issuer_keys", `issuer="https://issuer.example",state="stale"`, "1x80"), want: "KeysNotRenewed"},

		{name: "too many operations", shown: values("pixgraph_limits_hit_total", `limit="operations"`, "0+60x80"), want: "Overloaded"},
		{name: "too many streams", shown: values("pixgraph_live_streams", `protocol="sse"`, "19500x80"), want: "StreamsFull"},
		{name: "a caller with too many streams", shown: values("pixgraph_limits_hit_total", `limit="liveStreams"`, "0+60x80"), want: "StreamsRefused"},
		{name: "more reads than live_polls", shown: values("pixgraph_live_reads_total", `result="ok"`, "0+57000x80"), want: "ReadsShort"},
		{name: "streams that cannot be read", shown: func(h history) {
			values("pixgraph_live_streams", `protocol="sse"`, "100x80")(h)
			values("pixgraph_live_events_total", `reason="STALE"`, "0+20x80")(h)
		}, want: "StreamsStale"},
		{name: "late streams", shown: func(h history) {
			for _, bound := range []string{"1", "10", "30", "+Inf"} {
				count := "0+60x80"
				if bound == "1" || bound == "10" {
					count = "0x80"
				}
				values("pixgraph_live_latency_seconds_bucket", `le="`+bound+`"`, count)(h)
			}
			values("pixgraph_live_latency_seconds_count", "", "0+60x80")(h)
		}, want: "StreamsLate"},
		{name: "a certificate expires in ten days",
			shown: values("pixgraph_certificate_not_after_timestamp_seconds", `setting="tls_cert"`, "864000x80"), want: "CertificateExpires"},
		{name: "a certificate expires today",
			shown: values("pixgraph_certificate_not_after_timestamp_seconds", `setting="tls_cert"`, "40000x80"), want: "CertificateExpires CertificateExpiresToday"},
		{name: "connections", shown: values("pixgraph_connections_refused_total", "", "0+60x80"), want: "ConnectionsFull"},
		{name: "open files", shown: func(h history) {
			values("pixgraph_connections", "", "100x80")(h)
			values("pixgraph_connections_limit", "", "200x80")(h)
			values("process_open_fds", "", "900x80")(h)
			values("process_max_fds", "", "1000x70")(h) // then there is no file to read it
		}, want: "OpenFiles"},

		{name: "a replica that sees the other one", flags: "--redis-url=REDIS", during: func(r replica) { r.traffic("new") },
			until: `pixgraph_redis_replicas [2-9]\n(.*\n)*` + redisUsed},
		{name: "Redis cannot be reached", flags: "--redis-url=REDIS", during: func(r replica) {
			r.scrapeWith(redisUsed)
			r.proxy.Cut(true)
			r.traffic("new")
		}, until: `pixgraph_redis_up 0\n`, want: "RedisDown"},
		{name: "Redis is slow", flags: "--redis-url=REDIS", during: func(r replica) {
			fast, all := r.redisCommands()
			r.proxy.Delay(30 * time.Millisecond) // of the command, and of its answer
			waitFor(r.t, func() bool {           // a busy machine may have been slow before, and may have had many fast answers
				fastNow, allNow := r.redisCommands()
				return (allNow-all)-(fastNow-fast) > (allNow-all)/5
			})
		}, until: redisUsed, want: "RedisSlow"},
		{name: "replicas with other prefixes", flags: "--redis-url=REDIS --redis-prefix=other:", during: func(r replica) { r.traffic("new") },
			until: redisUsed, want: "FleetSplit"},
		{name: "calls are rejected", shown: values("pixgraph_upstream_shed_total", `service="core"`, "0+6x80"), want: "Shedding"},
	}
}
