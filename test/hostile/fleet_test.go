package hostile

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pixgraph/internal/redistest"
	"pixgraph/sandbox"
	"pixgraph/test/gatewaytest"
)

// fleet is three gateways behind HAProxy, over one sandbox and one Redis.
type fleet struct {
	t        *testing.T
	redis    *redistest.Server
	proxy    *balancer
	replicas []*launched
	clients  []gatewaytest.Client // of each replica
}

const nudgeSecret = "0123456789abcdef"

func startFleet(t *testing.T, box *sandbox.Sandbox, flags ...string) *fleet {
	t.Helper()
	binary := build(t)
	f := &fleet{t: t, redis: redistest.Start(t), proxy: startBalancerOf(t, balancerKinds()[0], 3)}
	for i := range f.proxy.public {
		l := launch(t, binary, releaseEnviron(), gatewaytest.Flags(box, append(flags, "--listen="+f.proxy.public[i],
			"--admin-listen="+f.proxy.admin[i], "--shutdown-delay=0s", "--redis-url=redis://"+f.redis.Address(), "--live-nudge-secret="+nudgeSecret)...)...)
		f.replicas = append(f.replicas, l)
		f.clients = append(f.clients, gatewaytest.Client{T: t, URL: "http://" + l.Address, Token: box.Token(), HTTP: http.DefaultClient})
	}
	f.awaitAll("pixgraph_redis_replicas", 3)
	return f
}

// metric returns a metric of a replica.
func (f *fleet) metric(i int, name string) float64 {
	value, err := f.replicas[i].Metric(f.t.Context(), name)
	must(f.t, err)
	return value
}

// awaitAll waits until a metric of all replicas has a value.
func (f *fleet) awaitAll(name string, value float64) {
	f.t.Helper()
	for i := range f.replicas {
		await(f.t, fmt.Sprintf("%s of replica %d is not %v", name, i, value), func() bool { return f.metric(i, name) == value })
	}
}

// TestFleet: three gateways act as one. What they write to Redis is what docs/state.md lists, and names nobody.
func TestFleet(t *testing.T) {
	t.Parallel()
	box := gatewaytest.NewSandbox(t)
	const burst = 1000
	f := startFleet(t, box, "--rate-identity=0.001", "--rate-address=0.001", "--rate-identity-burst="+strconv.Itoa(burst))
	f.documents()
	id := box.Samples().OpenTransaction
	f.hints(id, func(status string) { box.Ledger().SetStatus(id, status) }, func() int { return box.Counters().Core })
	f.rates(burst)

	digest := sha256.Sum256([]byte(box.Token()))
	secrets := []string{box.Token(), string(digest[:]), hex.EncodeToString(digest[:]), base64.RawURLEncoding.EncodeToString(digest[:])}
	for _, r := range box.Ledger().Transactions() {
		secrets = append(secrets, r.ID, r.Text("pixKey.key"), r.Text("endToEnd"))
	}
	known := regexp.MustCompile(`^pixgraph:([ca][\w-]{22}|d[\w-]{43}|p[\w-]{11}|replicas)$`)
	keys := strings.Fields(command(t, f.redis, "KEYS", "*"))
	kinds := map[byte]int{}
	for _, key := range keys {
		kinds[key[len("pixgraph:")]]++
		value := command(t, f.redis, "GET", key)
		if key == "pixgraph:replicas" {
			value = command(t, f.redis, "ZRANGE", key, "0", "-1")
		}
		if !known.MatchString(key) {
			t.Errorf("docs/state.md does not list %s", key)
		}
		if until, _ := strconv.Atoi(command(t, f.redis, "PTTL", key)); until == -1 {
			t.Errorf("%s never expires", key)
		}
		if kind := key[len("pixgraph:")]; (kind == 'c' || kind == 'a') && len(key)+len(value) > 64 {
			t.Errorf("%s has %d bytes with its value", key, len(key)+len(value))
		}
		for _, secret := range secrets {
			if secret != "" && strings.Contains(key+value, secret) {
				t.Errorf("%s has %q", key, secret)
			}
		}
	}
	if kinds['c'] != 1 || kinds['a'] != 1 || kinds['d'] != 1 || kinds['r'] != 1 {
		t.Errorf("keys: %q", keys)
	}
	for _, l := range f.replicas {
		if log := l.log.String(); strings.Contains(log, "panic") {
			t.Errorf("the log: %s", around(log, "panic"))
		}
	}
}

// documents: a document that a client registers at one replica runs at all.
func (f *fleet) documents() {
	const document = "{ __typename }"
	extensions := map[string]any{"persistedQuery": map[string]any{"version": 1, "sha256Hash": fmt.Sprintf("%x", sha256.Sum256([]byte(document)))}}
	send := func(i int, text string) string {
		body, err := json.Marshal(map[string]any{"query": text, "extensions": extensions})
		must(f.t, err)
		return string(f.clients[i].Post(nil, body).Body)
	}
	if answer := send(0, ""); !strings.Contains(answer, "PERSISTED_QUERY_NOT_FOUND") {
		f.t.Errorf("before it is registered: %s", answer)
	}
	const want = `{"data":{"__typename":"Query"}}`
	if answer := send(0, document); answer != want {
		f.t.Errorf("registered: %s", answer)
	}
	for i := range f.clients {
		await(f.t, "the document is not known", func() bool { return send(i, "") == want })
	}
}

// hints: a webhook to one replica reaches the stream of another one, whose record is read only each 30 s. It costs one
// read.
func (f *fleet) hints(id string, set func(status string), calls func() int) {
	set("PAID")
	resp := f.clients[1].OpenAs(f.clients[1].Token, "text/event-stream", fmt.Sprintf(`subscription { transaction(id: %q) { status } }`, id))
	statuses := make(chan string, 10)
	go func() {
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if _, rest, ok := strings.Cut(lines.Text(), `"status":"`); ok {
				status, _, _ := strings.Cut(rest, `"`)
				statuses <- status
			}
		}
	}()
	next := func(want string) {
		f.t.Helper()
		select {
		case status := <-statuses:
			if status != want {
				f.t.Errorf("%s, want %s", status, want)
			}
		case <-time.After(timeout):
			f.t.Fatalf("no event with %s", want)
		}
	}
	next("PAID")
	await(f.t, "not subscribed", func() bool {
		return strings.HasSuffix(command(f.t, f.redis, "PUBSUB", "NUMSUB", "pixgraph:hints"), "3")
	})
	set("REFUNDED")
	before := calls()
	webhook := fmt.Sprintf(`{"transactionId":%q}`, id)
	resp, err := http.Post(f.clients[0].URL+"/nudge/"+nudgeSecret, "application/json", strings.NewReader(webhook))
	must(f.t, err)
	_ = resp.Body.Close()
	next("REFUNDED")
	if n := calls() - before; n > 2 { // a poll may come in between
		f.t.Errorf("%d calls of the APIs for a change", n)
	}
	if received := f.metric(1, `pixgraph_redis_hints_total{result="received"}`); received < 1 {
		f.t.Error("the event came by a poll")
	}
}

// rates: what a caller took at one replica is missing at the others.
func (f *fleet) rates(burst int) {
	const settled = "pixgraph_redis_settled_units_total"
	take := func(i, most int) (n int) {
		before := f.metric(i, settled)
		for n < most && f.clients[i].Query("{ deposits { totalCount } }").Status == http.StatusOK {
			n++
		}
		await(f.t, "nothing is settled", func() bool { return f.metric(i, settled)-before == float64(2*n) }) // of the caller and the address
		return n
	}
	accepted := take(0, burst-100)
	for i := 1; i < len(f.clients); i++ {
		if n := take(i, 1); n != 1 { // it does not know of the others before
			f.t.Errorf("the first request to replica %d is refused", i)
		}
		accepted += 1 + take(i, burst)
	}
	if accepted < burst-100 || accepted > burst+2 {
		f.t.Errorf("%d requests are accepted of a burst of %d", accepted, burst)
	}
}

// outage: no request fails while Redis is killed, and the replicas use it again afterwards.
func (f *fleet) outage(token string) {
	load := startLoad(f.t, f.proxy, token, 4)
	load.wantMore(f.t, 200)
	f.redis.Kill()
	f.awaitAll("pixgraph_redis_up", 0)
	load.wantMore(f.t, 200)
	f.redis.Restart()
	f.awaitAll("pixgraph_redis_up", 1)
	load.wantMore(f.t, 200)
	load.stop()
}

// TestFleetOutage: clients notice nothing of an outage of Redis.
func TestFleetOutage(t *testing.T) {
	t.Parallel()
	box := gatewaytest.NewSandbox(t)
	startFleet(t, box, "--rate-identity=1000000", "--rate-identity-burst=1000000").outage(box.Token())
}

// command sends a command of an administrator to Redis.
func command(t *testing.T, s *redistest.Server, args ...string) string {
	t.Helper()
	answer, _ := s.Command(args...) // an error is an answer too: a key may have expired or be of another type
	return answer
}
