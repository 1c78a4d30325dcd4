package doctor_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pixgraph/gateway/doctor"
	"pixgraph/internal/certs/certstest"
	"pixgraph/internal/fleet"
	"pixgraph/internal/redistest"
	"pixgraph/test/gatewaytest"
)

// password is a secret that no report may contain.
const password = "c4nary-password"

// rule gives the user "gateway" the permissions that the documentation names.
const rule = "ACL SETUSER gateway on >" + password + " ~pixgraph:* &pixgraph:hints +eval +evalsha +time" +
	" +getrange +type +unlink +zadd +zremrangebyscore +zcard +pexpire +set +publish +subscribe"

// command sends a line to a server.
func command(t *testing.T, s *redistest.Server, line string) {
	t.Helper()
	if _, err := s.Command(strings.Fields(line)...); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
}

// inspect runs the doctor with settings of Redis, and checks that the report has no password.
func inspect(t *testing.T, flags ...string) doctor.Report {
	t.Helper()
	report := run(t, gatewaytest.Flags(gatewaytest.NewSandbox(t), flags...), "")
	for _, text := range texts(t, report) {
		if strings.Contains(text, password) {
			t.Errorf("the report contains a password: %s", text)
		}
	}
	return report
}

// user starts a server where the user of rule has its permissions and the others of a line, and returns the server and
// the URL with this user.
func user(t *testing.T, more string) (*redistest.Server, string) {
	t.Helper()
	s := redistest.Start(t)
	command(t, s, rule+" "+more)
	return s, "redis://gateway:" + password + "@" + s.Address()
}

// TestRedis: a user with the documented permissions suffices, and nothing is left behind.
func TestRedis(t *testing.T) {
	s, url := user(t, "+info")
	report := inspect(t, "--redis-url="+url)
	expect(t, report,
		row{"connection redis " + s.Address(), doctor.OK, []string{"connected to 127.0.0.1:"}},
		row{"redis", doctor.OK, []string{redistest.Version(t)}},
		row{"redis commands", doctor.OK, nil},
		row{"redis memory", doctor.OK, []string{"no maxmemory"}},
	)
	if !report.Passed() {
		t.Error(texts(t, report)[0])
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		keys, err := s.Command("KEYS", "*")
		if err == nil && keys == "" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(keys, err)
		}
	}
	if denied, err := s.Command("ACL", "LOG"); err != nil || denied != "" {
		t.Error("the rule denies", denied, err)
	}
}

// TestRedisRule: the rule in the hint is the documented one, and gives a user without permissions all that are needed.
func TestRedisRule(t *testing.T) {
	s := redistest.Start(t)
	command(t, s, "ACL SETUSER gateway on >"+password)
	flag := "--redis-url=redis://gateway:" + password + "@" + s.Address()
	report := inspect(t, flag)
	hint := ""
	for _, check := range report.Checks {
		if check.What == "redis commands" {
			hint = strings.TrimPrefix(check.Hint, "grant what is missing: ")
		}
	}
	if want := strings.Replace(rule, "on >"+password+" ", "", 1); hint != want {
		t.Fatalf("%s\nwant %s", hint, want)
	}
	command(t, s, hint)
	expect(t, inspect(t, flag), row{"redis commands", doctor.OK, nil}, row{"redis memory", doctor.Skipped, []string{"INFO"}})
}

// TestRedisDenied: each permission of the rule is needed, except that to PING, and the report names the missing one.
func TestRedisDenied(t *testing.T) {
	s, url := user(t, "")
	changes := map[string]string{"resetkeys": "keys", "resetchannels": "the channel"}
	for _, word := range strings.Fields(rule) {
		if name, ok := strings.CutPrefix(word, "+"); ok && name != "ping" {
			changes["-"+name] = strings.ToUpper(name)
		}
	}
	for change, want := range changes {
		t.Run(change, func(t *testing.T) {
			command(t, s, "ACL SETUSER gateway "+change)
			defer command(t, s, rule)
			report := inspect(t, "--redis-url="+url)
			expect(t, report, row{"redis commands", doctor.Fail, []string{"permission for " + want, "ACL SETUSER gateway ~pixgraph:* "}})
			for _, check := range report.Checks {
				if check.What == "redis commands" && check.Detail != "the user lacks permission for "+want {
					t.Error(check.Detail)
				}
			}
		})
	}
}

// TestRedisFails: the report says why there is no connection, or why commands fail.
func TestRedisFails(t *testing.T) {
	page := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(page.Close)
	protected := redistest.Start(t, "--requirepass", password)
	replica := redistest.Start(t, "--replicaof", strings.Replace(closedPort(t), ":", " ", 1))
	stale := redistest.Start(t, "--replica-serve-stale-data", "no")
	command(t, stale, "REPLICAOF "+strings.Replace(closedPort(t), ":", " ", 1))
	full := redistest.Start(t, "--maxmemory", "1")
	master := redistest.Start(t)
	sentinel := redistest.StartSentinel(t, master)
	file := certstest.Write(t, t.TempDir(), "password", []byte(password+"-other\n"))
	tests := []struct {
		name  string
		flags []string
		row   row
	}{
		{"a wrong password", []string{"--redis-url=redis://:" + password + "-other@" + protected.Address()},
			row{"redis", doctor.Fail, []string{"rejects the user or the password", "redis_password_file"}}},
		{"a wrong password in a file", []string{"--redis-url=redis://" + protected.Address(), "--redis-password-file=" + file},
			row{"redis", doctor.Fail, []string{"rejects the user or the password", "redis_password_file"}}},
		{"no password", []string{"--redis-url=redis://" + protected.Address()},
			row{"redis", doctor.Fail, []string{"requires them"}}},
		{"a port where nothing listens", []string{"--redis-url=redis://:" + password + "@" + closedPort(t)},
			row{"connection redis", doctor.Fail, []string{"refused"}}},
		{"an unknown host", []string{"--redis-url=redis://:" + password + "@redis.invalid:6379"},
			row{"connection redis", doctor.Fail, []string{"the host name", "check the host name in redis_url"}}},
		{"a unix socket that does not exist", []string{"--redis-url=unix:///nonexistent/redis.sock"},
			row{"redis", doctor.Fail, []string{"no such file"}}},
		{"an HTTP server", []string{"--redis-url=redis://:" + password + "@" + strings.TrimPrefix(page.URL, "http://")},
			row{"redis", doctor.Fail, []string{"does not respond as Redis", "the host and the port in redis_url"}}},
		{"a database that does not exist", []string{"--redis-url=redis://" + master.Address() + "/99"},
			row{"redis", doctor.Fail, []string{"responds with an error", "the number of its database"}}},
		{"a replica without a master", []string{"--redis-url=redis://" + replica.Address()},
			row{"redis commands", doctor.Fail, []string{"read-only", "the primary"}}},
		{"the same", []string{"--redis-url=redis://" + replica.Address()},
			row{"redis", doctor.Warn, []string{"a replica"}}},
		{"a replica without data", []string{"--redis-url=redis://" + stale.Address()},
			row{"redis commands", doctor.Fail, []string{"not ready"}}},
		{"no memory", []string{"--redis-url=redis://" + full.Address()},
			row{"redis commands", doctor.Fail, []string{"memory of the server is full", "maxmemory"}}},
		{"an unknown master set", []string{"--redis-url=redis://" + sentinel.Address() + "?master_set=other"},
			row{"redis", doctor.Fail, []string{"master set", "check master_set"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			report := inspect(t, tt.flags...)
			if expect(t, report, tt.row); report.Passed() {
				t.Error("the report has no failure")
			}
		})
	}
}

// TestRedisWarns: problems that do not keep replicas from acting as one.
func TestRedisWarns(t *testing.T) {
	s := redistest.Start(t)
	proxy := redistest.StartProxy(t, s.Address())
	proxy.Delay(fleet.MaxDocumentWait / 2) // in each direction
	slow := redistest.StartProxy(t, s.Address())
	slow.Delay(fleet.MaxWait / 2)
	memory := func(policy string) string {
		return "redis://" + redistest.Start(t, "--maxmemory", "100mb", "--maxmemory-policy", policy).Address()
	}
	_, port, _ := strings.Cut(s.Address(), ":")
	tests := []struct {
		name, url string
		row       row
	}{
		{"documents are too slow", "redis://" + proxy.Address(), row{"redis latency", doctor.Warn, []string{"5ms", "documents"}}},
		{"everything is too slow", "redis://" + slow.Address(), row{"redis latency", doctor.Warn, []string{"100ms", "does not use"}}},
		{"keys are not evicted", memory("noeviction"), row{"redis memory", doctor.Warn, []string{"100 MiB", "limit rates by themselves", "allkeys-lru"}}},
		{"keys that expire soon are evicted", memory("volatile-ttl"), row{"redis memory", doctor.Warn, []string{"volatile-ttl", "allkeys-lru"}}},
		{"the policy is right", memory("allkeys-lru"), row{"redis memory", doctor.OK, []string{"allkeys-lru"}}},
		{"no encryption", "redis://0.0.0.0:" + port, row{"redis", doctor.Warn, []string{"not encrypted", "rediss"}}},
		{"a unix socket", "unix://" + s.Socket(), row{"redis", doctor.OK, []string{redistest.Version(t)}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			report := inspect(t, "--redis-url="+tt.url)
			if expect(t, report, tt.row, row{"redis commands", doctor.OK, nil}); !report.Passed() {
				t.Error("the report has a failure")
			}
		})
	}
}

// TestRedisTLS: the report says why there is no connection with TLS.
func TestRedisTLS(t *testing.T) {
	ca, dir := certstest.New(t, "the authority"), t.TempDir()
	cert, key := ca.Issue(t, 100*day, "127.0.0.1").Write(t, dir)
	authority := certstest.Write(t, dir, "ca.crt", ca.PEM)
	s := redistest.StartTLS(t, redistest.TLS{Cert: cert, Key: key, CA: authority})
	url, trust := "--redis-url=rediss://"+s.Address(), "--redis-ca="+authority
	tests := []struct {
		name  string
		flags []string
		rows  []row
	}{
		{"a client certificate", []string{url, trust, "--redis-client-cert=" + cert, "--redis-client-key=" + key}, []row{
			{"connection redis", doctor.OK, []string{"TLS 1.3", "asks for a client certificate"}}, {"redis", doctor.OK, []string{redistest.Version(t)}},
		}},
		{"an unknown authority", []string{url}, []row{{"connection redis", doctor.Fail, []string{"not trusted: the authority", "redis_ca"}}}},
		{"no client certificate", []string{url, trust}, []row{{"redis", doctor.Fail, []string{"redis_client_cert"}}}},
		{"without TLS", []string{"--redis-url=redis://" + s.Address()}, []row{{"redis", doctor.Fail, []string{"rediss"}}}},
		{"a server without TLS", []string{"--redis-url=rediss://" + redistest.Start(t).Address()}, []row{
			{"connection redis", doctor.Fail, []string{"handshake was not complete", "not one for TLS"}},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { expect(t, inspect(t, tt.flags...), tt.rows...) })
	}
}

// TestRedisSeveral: the checks work with Sentinels and with a cluster, of whose addresses one is down.
func TestRedisSeveral(t *testing.T) {
	master := redistest.Start(t)
	command(t, master, rule+" +role +select")
	sentinel := redistest.StartSentinel(t, master)
	cluster := redistest.StartCluster(t)
	for _, node := range cluster.Nodes {
		command(t, node, rule+" +cluster|slots")
	}
	const login = "redis://gateway:" + password + "@"
	nodes := login + strings.Join(cluster.Addresses(), "&addr=")
	nodes = strings.Replace(nodes, "&", "?cluster=on&", 1)
	working := row{"redis commands", doctor.OK, nil}
	for _, tt := range []struct {
		name, url string
		rows      []row
	}{
		{"Sentinels", login + closedPort(t) + "/2?master_set=" + redistest.Master + "&addr=" + sentinel.Address(), []row{
			working, {"redis", doctor.OK, []string{redistest.Version(t)}}, {"connection redis", doctor.Warn, []string{"refused"}},
		}},
		{"a cluster", nodes, []row{working, {"redis", doctor.OK, []string{redistest.Version(t)}}}},
		{"a cluster with an address that is down", nodes + "&addr=" + closedPort(t), []row{
			working, {"connection redis", doctor.Warn, []string{"refused"}},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) { expect(t, inspect(t, "--redis-url="+tt.url), tt.rows...) })
	}
}
