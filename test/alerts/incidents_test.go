package alerts

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
)

// incident is what happens to a replica for half an hour, and the alerts that must fire: no others.
type incident struct {
	name   string
	flags  string
	during func(site)    // what happens in a minute, in a bubble
	shown  func(history) // or what the metrics of a quiet gateway show in addition, for what takes long or cannot be caused
	want   string
}

// TestIncidents: Prometheus itself evaluates the alerts over what the metrics of two gateways show, of which one has an
// incident. Exactly the right alerts fire.
func TestIncidents(t *testing.T) {
	want, histories := map[string]string{}, map[string]history{}
	usual := incident{during: func(s site) { s.traffic("usual") }}.happens(t)
	quiet := incident{during: func(site) {}}.happens(t)
	for _, i := range incidents() {
		want[i.name] = i.want
		t.Run(i.name, func(t *testing.T) {
			if testing.Short() && i.name != "the core fails" {
				t.Skip("make verify runs it")
			}
			h := history{}
			usual.repeat(t, h, "healthy:9090")
			if i.shown != nil {
				quiet.repeat(t, h, "sick:9090")
				i.shown(h)
			} else {
				i.happens(t).repeat(t, h, "sick:9090")
			}
			histories[i.name] = h
		})
	}
	wantFiring(t, histories, want)
	known := " "
	for _, names := range want {
		known += names + " "
	}
	for _, rule := range alertRules(t) {
		if !strings.Contains(known, " "+strings.TrimPrefix(rule.Alert, "Pixgraph")+" ") {
			t.Errorf("no incident has the alert %s", rule.Alert)
		}
	}
}

// scrapes are the metrics of a gateway before and after a minute.
type scrapes struct{ before, after string }

func (s scrapes) repeat(t *testing.T, h history, instance string) {
	h.repeat(t, instance, s.before, s.after)
}

// happens starts a gateway to which the incident happens.
func (i incident) happens(t *testing.T) (s scrapes) {
	synctest.Test(t, func(t *testing.T) {
		site := newSite(t, i.flags)
		s.before = scrape(site.gateway)
		i.during(site)
		s.after = scrape(site.gateway)
	})
	return s
}

// fault is an incident of an API.
func fault(f sandbox.Fault) func(site) {
	return func(s site) {
		s.box.Inject(f)
		s.traffic("new")
	}
}

// values shows values of a series of the sick replica.
func values(metric, labels, values string) func(history) {
	return func(h history) { h.set("sick:9090", metric, labels, values) }
}

// fleetOf shows that both replicas use Redis, and how many each of them sees.
func fleetOf(replicas int) func(history) {
	return func(h history) {
		for _, instance := range []string{"healthy:9090", "sick:9090"} {
			h.set(instance, "pixgraph_redis_up", "", "1x80")
			h.set(instance, "pixgraph_redis_replicas", "", fmt.Sprintf("%dx80", replicas))
		}
	}
}

func statuses(text string) func([]byte) []byte {
	pattern := regexp.MustCompile(`"status":"[A-Z_]+","statusHistory"`)
	return func(body []byte) []byte { return pattern.ReplaceAll(body, []byte(`"status":`+text+`,"statusHistory"`)) }
}

func incidents() []incident {
	core := func(f sandbox.Fault) func(site) { f.Service = sandbox.Core; return fault(f) }
	dispatcher := func(f sandbox.Fault) func(site) { f.Service = sandbox.Dispatcher; return fault(f) }
	return []incident{
		{name: "a quiet gateway", during: func(site) {}},
		{name: "usual traffic", during: func(s site) { s.traffic("new") }},
		{name: "a client that misuses it", during: func(s site) {
			s.gateway.Token = s.box.Token()
			clientFaults(s.t, s.gateway, s.box)
			streamFaults(s.t, s.gateway, s.box)
			for range 100 {
				s.QueryAs(s.box.Token()+"x", "{ __typename }")
			}
			s.traffic("new")
		}},
		{name: "a client that misuses it, and no other", during: func(s site) {
			s.gateway.Token = s.box.Token()
			clientFaults(s.t, s.gateway, s.box)
			streamFaults(s.t, s.gateway, s.box)
			for _, want := range []string{
				`operations_total{operation="List",outcome="client_error"}`, `http_requests_total{path="/graphql",status="401"}`,
				`upstream_calls_total{outcome="canceled",route="/withdrawal",service="core",status="none"}`,
				`limits_hit_total{limit="liveStreams"}`, `live_ends_total{reason="client"}`, `live_ends_total{reason="final"}`,
			} {
				if !regexp.MustCompile("pixgraph_" + regexp.QuoteMeta(want) + ` [1-9]`).MatchString(scrape(s.gateway)) {
					s.t.Errorf("the requests did not change %s", want)
				}
			}
		}},

		{name: "the process is down", shown: values(upMetric, "", "0x80"), want: "Down"},
		{name: "no process is known", shown: func(h history) { clear(h) }, want: "Absent"},
		{name: "restarts in a loop", shown: values("process_start_time_seconds", "", "0+60x80"), want: "Restarts"},
		{name: "a crash at each start", shown: values(upMetric, "", strings.Repeat("1 0 0 ", 27)), want: "Restarts"},

		{name: "the core fails", during: core(sandbox.Fault{Status: http.StatusInternalServerError}), want: "BreakerOpen Errors Shedding UpstreamFailing"},
		{name: "the dispatcher resets connections", during: dispatcher(sandbox.Fault{Kind: sandbox.FaultReset}), want: "Errors UpstreamFailing"},
		{name: "the core hangs", flags: "--upstream-timeout=300ms --upstream-breaker-percent=0",
			during: core(sandbox.Fault{Kind: sandbox.FaultHang}), want: "Errors UpstreamFailing"},
		{name: "the core is slow", flags: "--upstream-timeout=40s --operation-timeout=50s", during: func(s site) {
			s.box.Inject(sandbox.Fault{Service: sandbox.Core, Latency: 6 * time.Second})
			s.send(strings.Fields(strings.Repeat(s.box.Token()+" ", 10)), "{ deposits { totalCount } }")
		}, want: "Slow UpstreamSlow"},
		{name: "the dispatcher limits the rate", during: dispatcher(sandbox.Fault{Status: http.StatusTooManyRequests}), want: "RateLimitedByUpstream"},
		{name: "the core sends invalid records", during: fault(sandbox.Fault{Route: sandbox.RouteDeposit, Mutate: statuses("7")}), want: "BadRecords Errors"},
		{name: "the core has a new status", during: fault(sandbox.Fault{Route: sandbox.RouteDeposit, Mutate: statuses(`"NEW"`)}), want: "UnknownEnumValues"},
		{name: "a bug", shown: values("pixgraph_internal_errors_total", "", "0+1x80"), want: "InternalErrors"},
		{name: "a bug in streams", shown: values("pixgraph_live_ends_total", `reason="fault"`, "0+1x80"), want: "InternalErrors"},
		{name: "streams that end for other reasons", shown: func(h history) {
			for _, reason := range []string{"slow", "expired", "drain"} {
				values("pixgraph_live_ends_total", fmt.Sprintf("reason=%q", reason), "0+1x80")(h)
			}
		}},

		{name: "the core accepts no token", during: core(sandbox.Fault{Status: http.StatusUnauthorized}), want: "CallersRefused"},
		{name: "the dispatcher permits nobody", during: dispatcher(sandbox.Fault{Status: http.StatusForbidden}), want: "CallersRefused"},
		{name: "the core accepts no token of the only caller", during: func(s site) {
			s.box.Inject(sandbox.Fault{Service: sandbox.Core, Status: http.StatusUnauthorized})
			s.send([]string{s.box.Token()}, "{ deposits { totalCount } }")
		}},
		{name: "nobody has the trusted documents", flags: "--persisted-only=on --persisted-manifest=MANIFEST", during: func(s site) {
			s.traffic("new")
		}, want: "CallersFail"},
		{name: "a client with a record that fails", during: func(s site) {
			s.box.Inject(sandbox.Fault{ID: s.box.Samples().OpenTransaction, Status: http.StatusInternalServerError})
			for range 40 {
				s.send([]string{s.box.Token()}, fmt.Sprintf("{ transaction(id: %q) { id } }", s.box.Samples().OpenTransaction))
			}
			s.traffic("new")
		}},
		{name: "the clock is ahead", shown: values("pixgraph_time_seconds", "", "3600+60x80"), want: "Clock"},
		{name: "tabs that nobody closed", during: func(s site) {
			for i := range 5 {
				expired := s.box.Issuer().Mint(issuer.Grant{Subject: fmt.Sprint("tab", i), TTL: -time.Hour})
				s.send([]string{expired, expired, expired}, "{ __typename }")
			}
		}},
		{name: "the audience has changed, and somebody forges tokens", during: func(s site) {
			for i := range 100 {
				forged := s.box.Issuer().Mint(issuer.Grant{Subject: fmt.Sprint("forged", i), TTL: time.Hour, Audience: []string{"https://new.example"}})
				s.send([]string{forged[:len(forged)-8] + "AAAAAAAA"}, "{ __typename }")
			}
			s.traffic("new", "https://new.example")
		}, want: "Audience TokensRefused"},
		{name: "the core accepts no token in forward mode", flags: "--auth-mode=forward --auth-issuer= --auth-audience=", during: func(s site) {
			s.box.Inject(sandbox.Fault{Service: sandbox.Core, Status: http.StatusUnauthorized})
			s.traffic("new")
		}, want: "ForwardedRefused"},
		{name: "invented and expired tokens in forward mode", flags: "--auth-mode=forward --auth-issuer= --auth-audience=", during: func(s site) {
			expired := s.box.Issuer().Mint(issuer.Grant{Subject: "tab", TTL: -time.Hour})
			for i := range 50 {
				s.send([]string{fmt.Sprint("invented", i), expired}, "{ deposits { totalCount } }")
			}
			s.traffic("new")
		}},
		{name: "the audience has changed", during: func(s site) { s.traffic("new", "https://new.example") }, want: "Audience TokensRefused"},
		{name: "the issuer is down after a rotation", during: func(s site) {
			old := s.box.Token()
			s.QueryAs(old, "{ __typename }").WantOK()
			s.box.Issuer().SetDown(true)
			s.box.Issuer().Rotate(true)
			renewed := s.box.Token()
			s.QueryAs(renewed, "{ __typename }") // starts a fetch, of which there is one in ten seconds at most
			time.Sleep(10 * time.Second)
			if status := s.QueryAs(renewed, "{ __typename }").Status; status != http.StatusServiceUnavailable {
				s.t.Errorf("a token with a new key got %d", status)
			}
			s.send([]string{renewed}, "{ a: __typename }", "{ b: __typename }", "{ c: __typename }")
		}, want: "IssuerDown KeysNotRenewed"},
		{name: "one of two issuers is down at the start", flags: "--auth-issuer=ISSUER,http://CLOSED",
			during: func(s site) { s.traffic("new") }, want: "NoKeys"},
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
		{name: "a client CA expires in ten days",
			shown: values("pixgraph_certificate_not_after_timestamp_seconds", `setting="tls_client_ca"`, "864000x80"), want: "CertificateExpires"},
		{name: "a certificate expires today",
			shown: values("pixgraph_certificate_not_after_timestamp_seconds", `setting="tls_cert"`, "40000x80"), want: "CertificateExpires CertificateExpiresToday"},
		{name: "connections", shown: values("pixgraph_connections_refused_total", "", "0+60x80"), want: "ConnectionsFull"},
		{name: "open files", shown: func(h history) {
			values("pixgraph_connections", "", "100x80")(h)
			values("pixgraph_connections_limit", "", "200x80")(h)
			values("process_open_fds", "", "900x80")(h)
			values("process_max_fds", "", "1000x70")(h) // then there is no file to read it
		}, want: "OpenFiles"},

		{name: "Redis cannot be reached", flags: "--redis-url=redis://CLOSED", during: func(s site) { s.traffic("new") }, want: "RedisDown"},
		{name: "Redis is slow", shown: func(h history) {
			values("pixgraph_redis_up", "", "1x80")(h)
			values("pixgraph_redis_latency_seconds_bucket", `le="0.05"`, "0+50x80")(h)
			values("pixgraph_redis_latency_seconds_count", "", "0+60x80")(h)
		}, want: "RedisSlow"},
		{name: "Redis refuses commands", shown: func(h history) {
			values("pixgraph_redis_up", "", "1x80")(h)
			values("pixgraph_redis_refused_commands_total", `reason="denied"`, "0+60x80")(h)
		}, want: "RedisSlow"},
		{name: "replicas that see each other", shown: fleetOf(2)},
		{name: "replicas that do not see each other", shown: fleetOf(1), want: "FleetSplit"},

		{name: "calls are rejected", shown: values("pixgraph_upstream_shed_total", `service="core"`, "0+6x80"), want: "Shedding"},
	}
}
