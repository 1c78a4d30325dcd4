package redis

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"pixgraph/fleet"
	"pixgraph/gateway"
	"pixgraph/gateway/doctor"
	"pixgraph/internal/certs/certstest"
	"pixgraph/internal/redistest"
	"pixgraph/test/gatewaytest"
)

// password is a secret that no report may contain.
const password = "c4nary-password"

// rule gives the user "gateway" the permissions that the documentation names.
const rule = "ACL SETUSER gateway on >" + password + " ~pixgraph:* &pixgraph:hints +eval +evalsha +time" +
	" +getrange +type +unlink +zadd +zremrangebyscore +zcard +pexpire +set +publish +subscribe"

// login is how the URL of a server with this user begins.
const login = "redis://gateway:" + password + "@"

// closedPort is an address at which nothing listens.
const closedPort = "127.0.0.1:1"

// report is what `pixgraph doctor --json` prints.
type report struct {
	Passed bool
	Checks []doctor.Check
	text   string
}

// inspect runs the doctor with settings of Redis, and checks that the report has no password.
func inspect(t *testing.T, flags ...string) (r report) {
	t.Helper()
	var out bytes.Buffer
	args := append([]string{"doctor", "--json"}, gatewaytest.Flags(gatewaytest.NewSandbox(t), flags...)...)
	gateway.Run(t.Context(), gateway.Process{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out})
	r.text = out.String()
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || strings.Contains(r.text, password) {
		t.Fatalf("%v, or a password in %s", err, r.text)
	}
	return r
}

// row is an expected check: the beginning of its name, its result, and texts of its detail and hint.
type row struct {
	what     string
	result   doctor.Result
	contains []string
}

// is reports whether it is the row of a check.
func (r row) is(c doctor.Check) bool {
	return strings.HasPrefix(c.What, r.what) && c.Result == r.result && !slices.ContainsFunc(r.contains, func(text string) bool {
		return !strings.Contains(c.Detail+" "+c.Hint, text)
	})
}

// want fails for each row that is not in the report, and if a report without a row of a failure has one.
func (r report) want(t *testing.T, rows ...row) {
	t.Helper()
	for _, want := range rows {
		if !slices.ContainsFunc(r.Checks, want.is) {
			t.Errorf("no check %v in %s", want, r.text)
		}
	}
	if passes := !slices.ContainsFunc(rows, func(r row) bool { return r.result == doctor.Fail }); passes != r.Passed {
		t.Errorf("passed is %v in %s", r.Passed, r.text)
	}
}

// TestDoctor: a user with the documented permissions suffices, and nothing is left behind. The hint for a user without
// permissions is the documented rule.
func TestDoctor(t *testing.T) {
	notShort(t)
	s := redistest.Start(t)
	commands("ACL SETUSER gateway on >"+password)(t, s)
	flag, hint := "--redis-url="+login+s.Address(), strings.Replace(rule, "on >"+password+" ", "", 1)
	inspect(t, flag).want(t, row{"redis commands", doctor.Fail, []string{"permission for TIME, ", "grant what is missing: " + hint}})
	commands("ACL LOG RESET", hint)(t, s)
	inspect(t, flag).want(t,
		row{"connection redis " + s.Address(), doctor.OK, []string{"connected to 127.0.0.1:"}},
		row{"redis", doctor.OK, []string{redistest.Version(t)}},
		row{"redis commands", doctor.OK, nil},
		row{"redis memory", doctor.Skipped, []string{"INFO"}},
	)
	await(t, "the end of the doctor's keys", func() bool { return command(t, s, "KEYS", "*") == "" })
	if denied := command(t, s, "ACL", "LOG"); strings.Count(denied, "\nusername\n") != 1 || !strings.Contains(denied, "\ninfo\n") {
		t.Errorf("the rule denies other commands than INFO: %s", denied)
	}
}

// TestDenied: each permission of the rule is needed, and the missing one is named.
func TestDenied(t *testing.T) {
	notShort(t)
	s := redistest.Start(t)
	commands(rule)(t, s)
	changes := map[string]string{"resetkeys": "keys", "resetchannels": "the channel"}
	for _, word := range strings.Fields(rule) {
		if name, ok := strings.CutPrefix(word, "+"); ok {
			changes["-"+name] = strings.ToUpper(name)
		}
	}
	for change, want := range changes {
		commands("ACL SETUSER gateway "+change)(t, s)
		found, err := fleet.Inspect(t.Context(), fleet.Config{
			URL: fleet.URL(login + s.Address()), Prefix: prefix, Log: slog.New(slog.DiscardHandler),
			Dial: new(net.Dialer).DialContext, TLS: func() *tls.Config { return nil },
		})
		if err != nil || !slices.Equal(found.Denied, []string{want}) || found.Failed != nil {
			t.Errorf("%s: %+v, %v, want %s", change, found, err, want)
		}
		commands(rule)(t, s)
	}
}

// TestDoctorFails: the report says why there is no connection, or why commands fail.
func TestDoctorFails(t *testing.T) {
	notShort(t)
	page := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(page.Close)
	protected := redistest.Start(t, "--requirepass", password)
	replica := redistest.Start(t, "--replicaof", "127.0.0.1", "1")
	stale := redistest.Start(t, "--replica-serve-stale-data", "no")
	commands("REPLICAOF 127.0.0.1 1")(t, stale)
	full := redistest.Start(t, "--maxmemory", "1")
	master := redistest.Start(t)
	renamed := redistest.Start(t, "--rename-command", "EVAL", "", "--rename-command", "GETRANGE", "")
	sentinel := redistest.StartSentinel(t, master)
	file := certstest.Write(t, t.TempDir(), "password", []byte(password+"-other\n"))
	const withPassword = "redis://:" + password
	for _, tt := range []struct {
		name  string
		flags []string
		rows  []row
	}{
		{"a wrong password", []string{"--redis-url=" + withPassword + "-other@" + protected.Address()},
			[]row{{"redis", doctor.Fail, []string{"rejects the user or the password", "redis_password_file"}}}},
		{"a wrong password in a file", []string{"--redis-url=redis://" + protected.Address(), "--redis-password-file=" + file},
			[]row{{"redis", doctor.Fail, []string{"rejects the user or the password", "redis_password_file"}}}},
		{"no password", []string{"--redis-url=redis://" + protected.Address()},
			[]row{{"redis", doctor.Fail, []string{"requires them"}}}},
		{"a port where nothing listens", []string{"--redis-url=" + withPassword + "@" + closedPort},
			[]row{{"connection redis", doctor.Fail, []string{"refused"}}}},
		{"a unix socket that does not exist", []string{"--redis-url=unix:///nonexistent/redis.sock"},
			[]row{{"redis", doctor.Fail, []string{"no such file"}}}},
		{"an HTTP server", []string{"--redis-url=" + withPassword + "@" + strings.TrimPrefix(page.URL, "http://")},
			[]row{{"redis", doctor.Fail, []string{"does not respond as Redis", "the host and the port in redis_url"}}}},
		{"a database that does not exist", []string{"--redis-url=redis://" + master.Address() + "/99"},
			[]row{{"redis", doctor.Fail, []string{"responds with an error", "the number of its database"}}}},
		{"a replica without a master", []string{"--redis-url=redis://" + replica.Address()},
			[]row{{"redis commands", doctor.Fail, []string{"read-only", "the primary"}}, {"redis", doctor.Warn, []string{"a replica"}}}},
		{"a replica without data", []string{"--redis-url=redis://" + stale.Address()},
			[]row{{"redis commands", doctor.Fail, []string{"not ready"}}}},
		{"no memory", []string{"--redis-url=redis://" + full.Address()},
			[]row{{"redis commands", doctor.Fail, []string{"memory of the server is full", "maxmemory"}}}},
		{"renamed commands", []string{"--redis-url=redis://" + renamed.Address()},
			[]row{{"redis commands", doctor.Fail, []string{"does not know GETRANGE, EVAL", "rename-command"}}}},
		{"twemproxy", []string{"--redis-url=redis://" + twemproxy(t, master.Address())},
			[]row{{"redis", doctor.Fail, []string{"closed at HELLO", "twemproxy, cannot be used"}}}},
		{"an unknown master set", []string{"--redis-url=redis://" + sentinel.Address() + "?master_set=other"},
			[]row{{"redis", doctor.Fail, []string{"master set", "check master_set"}}}},
	} {
		t.Run(tt.name, func(t *testing.T) { inspect(t, tt.flags...).want(t, tt.rows...) })
	}
}

// twemproxy starts a proxy that does not know HELLO, and returns its address.
func twemproxy(t *testing.T, server string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address := listener.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	must(t, listener.Close())
	dir := t.TempDir()
	file := certstest.Write(t, dir, "nutcracker.yml", []byte("a:\n  listen: "+address+"\n  redis: true\n  servers:\n   - "+server+":1\n"))
	proxy := exec.CommandContext(t.Context(), "nutcracker", "-c", file, "-a", "127.0.0.2", "-s", port, "-o", dir+"/log", "-p", dir+"/pid")
	must(t, proxy.Start())
	t.Cleanup(func() { _ = proxy.Wait() }) // the end of the test's context has killed it
	await(t, "twemproxy", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return address
}

// TestDoctorWarns: problems that do not keep replicas from acting as one.
func TestDoctorWarns(t *testing.T) {
	notShort(t)
	s := redistest.Start(t)
	late, slow := redistest.StartProxy(t, s.Address()), redistest.StartProxy(t, s.Address())
	late.Delay(fleet.MaxDocumentWait / 2) // in each direction
	slow.Delay(fleet.MaxWait / 2)
	memory := func(policy string) string {
		return "redis://" + redistest.Start(t, "--maxmemory", "100mb", "--maxmemory-policy", policy).Address()
	}
	_, port, _ := strings.Cut(s.Address(), ":")
	for _, tt := range []struct {
		name, url string
		row       row
	}{
		{"documents are too slow", "redis://" + late.Address(), row{"redis latency", doctor.Warn, []string{"run it closer"}}},
		{"everything is too slow", "redis://" + slow.Address(), row{"redis latency", doctor.Warn, []string{"100ms", "does not use"}}},
		{"no limit of memory", "redis://" + s.Address(), row{"redis memory", doctor.OK, []string{"no maxmemory"}}},
		{"keys are not evicted", memory("noeviction"), row{"redis memory", doctor.Warn, []string{"100 MiB", "limit rates by themselves", "allkeys-lru"}}},
		{"keys that expire soon are evicted", memory("volatile-ttl"), row{"redis memory", doctor.Warn, []string{"volatile-ttl", "allkeys-lru"}}},
		{"the policy is right", memory("allkeys-lru"), row{"redis memory", doctor.OK, []string{"allkeys-lru"}}},
		{"no encryption", "redis://0.0.0.0:" + port, row{"redis", doctor.Warn, []string{"not encrypted", "rediss"}}},
		{"a unix socket", "unix://" + s.Socket(), row{"redis", doctor.OK, []string{redistest.Version(t)}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inspect(t, "--redis-url="+tt.url).want(t, tt.row, row{"redis commands", doctor.OK, nil})
		})
	}
}

// TestDoctorTLS: the report says why there is no connection with TLS.
func TestDoctorTLS(t *testing.T) {
	notShort(t)
	ca, dir := certstest.New(t, "the authority"), t.TempDir()
	cert, key := ca.Issue(t, 100*24*time.Hour, "127.0.0.1").Write(t, dir)
	authority := certstest.Write(t, dir, "ca.crt", ca.PEM)
	s := redistest.StartTLS(t, redistest.TLS{Cert: cert, Key: key, CA: authority})
	url, trust := "--redis-url=rediss://"+s.Address(), "--redis-ca="+authority
	for _, tt := range []struct {
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
	} {
		t.Run(tt.name, func(t *testing.T) { inspect(t, tt.flags...).want(t, tt.rows...) })
	}
}

// TestDoctorOfSeveral: the checks work with Sentinels and with a cluster, of whose addresses one is down.
func TestDoctorOfSeveral(t *testing.T) {
	notShort(t)
	master := redistest.Start(t)
	commands(rule+" +role +select")(t, master)
	sentinel := redistest.StartSentinel(t, master)
	cluster := redistest.StartCluster(t)
	for _, node := range cluster.Nodes {
		commands(rule+" +cluster|slots")(t, node)
	}
	nodes := login + strings.Replace(strings.Join(cluster.Addresses(), "&addr="), "&", "?cluster=on&", 1)
	working, server := row{"redis commands", doctor.OK, nil}, row{"redis", doctor.OK, []string{redistest.Version(t)}}
	down := row{"connection redis", doctor.Warn, []string{"refused"}}
	for _, tt := range []struct {
		name, url string
		rows      []row
	}{
		{"Sentinels", login + closedPort + "/2?master_set=" + redistest.Master + "&addr=" + sentinel.Address(), []row{working, server, down}},
		{"a cluster", nodes, []row{working, server}},
		{"a cluster with an address that is down", nodes + "&addr=" + closedPort, []row{working, down}},
	} {
		t.Run(tt.name, func(t *testing.T) { inspect(t, "--redis-url="+tt.url).want(t, tt.rows...) })
	}
}
