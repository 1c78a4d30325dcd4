package alerts

import (
	"context"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pixgraph/internal/process"
	"pixgraph/internal/redistest"
	"pixgraph/test/gatewaytest"
)

// redisIncident is an incident of processes that share a Redis server. It happens in real time.
type redisIncident struct {
	name, flags string
	during      func(shared)
	until       string // a pattern that the metrics match at the end of the minute
	want        string
}

// shared is a process of the gateway, with a proxy between it and Redis.
type shared struct {
	site
	process *process.Process
	proxy   *redistest.Proxy
}

// start starts a gateway that uses Redis.
func start(t *testing.T, binary string, redis *redistest.Server, flags string) shared {
	t.Helper()
	proxy, box := redistest.StartProxy(t, redis.Address()), gatewaytest.NewSandbox(t)
	flags += " --listen=127.0.0.1:0 --admin-listen=127.0.0.1:0 --shutdown-delay=0s --redis-url=redis://" + proxy.Address()
	p, err := process.Start(context.WithoutCancel(t.Context()), process.Config{
		Name: "gateway", Binary: binary, Args: gatewaytest.Flags(box, strings.Fields(flags)...),
	})
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	client := gatewaytest.Client{T: t, URL: "http://" + p.Address, HTTP: &http.Client{Transport: transport}}
	return shared{site{Client: client, box: box, t: t}, p, proxy}
}

// scrapeWith reads the metrics when all requests are counted and they match a pattern.
func (s shared) scrapeWith(pattern string) (text string) {
	matches := regexp.MustCompile(pattern).MatchString
	await(s.t, "metrics that match "+pattern, func() bool {
		var err error
		if text, err = s.process.Get(s.t.Context(), "/metrics"); err != nil {
			s.t.Fatal(err)
		}
		return matches(text) && strings.Contains(text, "\npixgraph_http_requests_in_flight 0\n")
	})
	return text
}

// redisUsed matches the metrics of a replica that uses Redis.
const redisUsed = `pixgraph_redis_up 1\n`

// commands returns how many commands Redis has answered within 50 ms, and how many in all.
func (s shared) commands() (fast, all int) {
	const series = `redis_latency_seconds_(?:bucket\{le="0.05"\}|count) (\d+)`
	found := regexp.MustCompile(series).FindAllStringSubmatch(s.scrapeWith(redisUsed), -1)
	fast, _ = strconv.Atoi(found[0][1])
	all, _ = strconv.Atoi(found[1][1])
	return fast, all
}

// TestRedisIncidents: as TestIncidents, with processes that share a real Redis.
func TestRedisIncidents(t *testing.T) {
	if testing.Short() {
		t.Skip("make verify runs it")
	}
	binary, err := process.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	redis := redistest.Start(t)
	healthy := start(t, binary, redis, "")
	usual := scrapes{before: healthy.scrapeWith(redisUsed)}
	healthy.traffic("usual")
	usual.after = healthy.scrapeWith(redisUsed)
	want, histories := map[string]string{}, map[string]history{}
	for _, i := range redisIncidents() {
		want[i.name] = i.want
		t.Run(i.name, func(t *testing.T) {
			s, h := start(t, binary, redis, i.flags), history{}
			sick := scrapes{before: s.scrapeWith("")}
			i.during(s)
			sick.after = s.scrapeWith(i.until)
			usual.repeat(t, h, "healthy:9090")
			h.withoutDurations("healthy:9090")
			sick.repeat(t, h, "sick:9090")
			if i.want != "RedisSlow" {
				h.withoutDurations("sick:9090")
			}
			histories[i.name] = h
		})
	}
	wantFiring(t, histories, want)
}

func redisIncidents() []redisIncident {
	return []redisIncident{
		{name: "a replica that sees the other one", during: func(s shared) { s.traffic("new") },
			until: `pixgraph_redis_replicas [2-9]\n(.*\n)*` + redisUsed},
		{name: "Redis cannot be reached", during: func(s shared) {
			s.scrapeWith(redisUsed)
			s.proxy.Cut(true)
			s.traffic("new")
		}, until: `pixgraph_redis_up 0\n`, want: "RedisDown"},
		{name: "Redis is slow", during: func(s shared) {
			fast, all := s.commands()
			s.proxy.Delay(30 * time.Millisecond) // of the command, and of its answer
			// A busy machine may have been slow before, and may have had many fast answers.
			await(s.t, "slow answers of Redis", func() bool {
				fastNow, allNow := s.commands()
				return (allNow-all)-(fastNow-fast) > (allNow-all)/5
			})
		}, until: redisUsed, want: "RedisSlow"},
		{name: "replicas with other prefixes", flags: "--redis-prefix=other:", during: func(s shared) { s.traffic("new") },
			until: redisUsed, want: "FleetSplit"},
	}
}
