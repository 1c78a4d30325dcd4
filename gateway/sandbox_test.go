package gateway

import (
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pixgraph/test/gatewaytest"
)

var (
	tokenCommand = regexp.MustCompile(`TOKEN=\$\(curl -s (\S+)\)`)
	queryCommand = regexp.MustCompile(`curl -sg "([^"]+)" -H "Authorization: Bearer \$TOKEN"`)
)

// launchSandbox starts a gateway over its sandbox. Its client has a token.
func launchSandbox(t *testing.T) *running {
	t.Helper()
	r := launch(t)
	r.Token = tokenOf(t, r)
	return r
}

// tokenOf returns the token of the first command that `make run` prints.
func tokenOf(t *testing.T, r *running) string {
	t.Helper()
	command := tokenCommand.FindStringSubmatch(r.stdout.String())
	if command == nil {
		t.Fatalf("no command for a token in %q", r.stdout)
	}
	got := gatewaytest.Client{T: t, URL: "http://" + command[1]}.Get("")
	if got.Status != http.StatusOK {
		t.Fatalf("%s: status %d, %s", command[1], got.Status, got.Body)
	}
	return strings.TrimRight(string(got.Body), "\n") // as $(…) does
}

// tryGreeting sends the requests of the two commands that `make run` prints, and checks the response.
func tryGreeting(t *testing.T, r *running) {
	t.Helper()
	command := queryCommand.FindStringSubmatch(r.stdout.String())
	if command == nil {
		t.Fatalf("no command for a query in %q", r.stdout)
	}
	got := gatewaytest.Client{T: t, URL: "http://" + command[1], Token: tokenOf(t, r)}.Get("")
	if string(got.Body) != `{"data":{"deposits":{"totalCount":2000}}}` {
		t.Errorf("the response to the curl command is %d %s", got.Status, got.Body)
	}
}

// TestGreeting: the printed commands work and fit a terminal, and the addresses exist.
func TestGreeting(t *testing.T) {
	r := launch(t)
	tryGreeting(t, r)
	pages := regexp.MustCompile(`(?m)^  (\w+) +(http://\S+)`).FindAllStringSubmatch(r.stdout.String(), -1)
	var found []string
	for _, page := range pages {
		want := http.StatusOK
		if found = append(found, page[1]); page[1] == "GraphQL" {
			want = http.StatusUnauthorized
		}
		if got := (gatewaytest.Client{T: t, URL: page[2]}).Get(""); got.Status != want {
			t.Errorf("%s returned %d", page[2], got.Status)
		}
	}
	if !reflect.DeepEqual(found, []string{"GraphiQL", "Payments", "GraphQL", "Schema", "Sandbox"}) {
		t.Errorf("addresses of %v in %s", found, r.stdout)
	}
	_, port, err := net.SplitHostPort(r.at.public)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(strings.ReplaceAll(r.stdout.String(), ":"+port, ":8080")) {
		if strings.Contains(line, "eyJ") || len(line) > 101 {
			t.Errorf("%d columns, or a token: %s", len(line)-1, line)
		}
	}
}

// TestSandboxSettings: the settings that apply to a sandbox take effect, and the printed commands work.
func TestSandboxSettings(t *testing.T) {
	tests := []struct {
		name  string
		flags []string
		logs  []string // substrings of the startup log line
	}{
		{"none", nil, []string{`"auth_audience":"pixgraph-sandbox"`, `"paging_page_param":"page"`, `"paging_per_page_param":"perPage"`}},
		{"some", []string{"--auth-audience=mine,other", "--paging-page-param=p", "--paging-per-page-param=page[size]",
			"--links-metadata-pointer=/ids", "--cors-origins=https://app.example.com"},
			[]string{`"auth_audience":"mine,other"`, `"paging_page_param":"p"`, `"paging_per_page_param":"page[size]"`,
				`"links_metadata_pointer":"/ids"`, `"cors_origins":"https://app.example.com,http://localhost:*,`}},
		{"forward, one paging name, every origin", []string{"--auth-mode=forward", "--paging-per-page-param=limit", "--cors-origins=*"},
			[]string{`"auth_mode":"forward"`, `"auth_issuer":""`, `"paging_page_param":"page"`, `"paging_per_page_param":"limit"`, `"cors_origins":"*"`}},
		{"all interfaces", []string{"--listen=:0"}, nil},
		{"all interfaces, IPv4", []string{"--listen=0.0.0.0:0"}, nil},
		{"few connections, one for each name of the host", []string{"--listen=localhost:0", "--limits-connections=2", "--live=off"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := launch(t, tt.flags...)
			tryGreeting(t, r)
			if body := r.QueryAs(tokenOf(t, r), "{ deposits(page: 2, perPage: 3) { currentPage } }").Body; string(body) != `{"data":{"deposits":{"currentPage":2}}}` {
				t.Errorf("page 2 is %s", body)
			}
			for _, text := range tt.logs {
				if !strings.Contains(r.stderr.String(), text) {
					t.Errorf("%s is not in %s", text, r.stderr)
				}
			}
		})
	}
}

// TestSandboxIssuer: the issuer has the address of the gateway, by both names of the host. The tokens of each name are
// accepted, and GraphiQL signs in at the name that it was opened at.
func TestSandboxIssuer(t *testing.T) {
	r := launch(t)
	_, port, err := net.SplitHostPort(r.at.public)
	if err != nil {
		t.Fatal(err)
	}
	for _, base := range []string{"http://127.0.0.1:" + port, "http://localhost:" + port} {
		at := gatewaytest.Client{T: t, URL: base}
		issuer := base + "/sandbox/issuer"
		if got := at.Get("/sandbox/issuer/.well-known/openid-configuration"); !strings.Contains(string(got.Body), `"issuer":"`+issuer+`"`) {
			t.Errorf("discovery at %s: %d %s", base, got.Status, got.Body)
		}
		token := strings.TrimSpace(string(at.Get("/sandbox/token").Body))
		for _, url := range []string{"http://127.0.0.1:" + port, "http://localhost:" + port} {
			(gatewaytest.Client{T: t, URL: url}).QueryAs(token, "{ deposits(first: 1) { nodes { id } } }").WantOK()
		}
		if page := at.Get("/"); page.Status != http.StatusOK || strings.Contains(string(page.Body), "console-config") &&
			!strings.Contains(string(page.Body), `"issuer":"`+issuer+`"`) {
			t.Errorf("the page at %s signs in elsewhere", base)
		}
	}
}

// TestLoopbackURLs: a server is reached by its address on loopback and by localhost, unless it listens on a network
// only.
func TestLoopbackURLs(t *testing.T) {
	for address, want := range map[string][]string{
		"127.0.0.1:8080":   {"http://127.0.0.1:8080", "http://localhost:8080"},
		"127.0.0.2:8080":   {"http://127.0.0.2:8080"},
		"[::1]:8080":       {"http://[::1]:8080", "http://localhost:8080"},
		"0.0.0.0:8081":     {"http://127.0.0.1:8081", "http://localhost:8081"},
		"[::]:8081":        {"http://127.0.0.1:8081", "http://localhost:8081"},
		"127.0.0.1:80":     {"http://127.0.0.1", "http://localhost"},
		"127.0.0.1:443":    {"http://127.0.0.1:443", "http://localhost:443"},
		"192.168.1.5:8080": nil,
	} {
		if got := loopbackURLs(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address)), "http"); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", address, got, want)
		}
	}
	secure := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2), Port: 443}
	if got := loopbackURLs(secure, "https"); !slices.Equal(got, []string{"https://127.0.0.2"}) {
		t.Errorf("with TLS: %v", got)
	}
	var greeting strings.Builder
	socket := &net.UnixAddr{Name: "/run/pixgraph.sock", Net: "unix"}
	greet(&greeting, socket, "http", "http://127.0.0.1:1")
	const command = `curl -sg --unix-socket /run/pixgraph.sock "localhost/graphql?query=`
	if got := loopbackURLs(socket, "http"); got != nil || !strings.Contains(greeting.String(), command) {
		t.Errorf("of a unix socket: %v, %s", got, greeting.String())
	}
}

// TestRestart: a token outlives a restart of the gateway at the same address, because the key of the sandbox is in the
// user's cache, where only the user can read it.
func TestRestart(t *testing.T) {
	p := Process{cacheDir: t.TempDir()}
	for attempt := 1; ; attempt++ {
		first := launchAs(t, p)
		token := tokenOf(t, first)
		first.QueryAs(token, "{ deposits(first: 1) { nodes { id } } }").WantOK()
		first.end()
		taken, err := net.Listen("tcp", first.at.public)
		if err != nil && attempt < 20 { // another process took the port
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		_ = taken.Close()
		second := launchAs(t, p, "--listen="+first.at.public)
		second.QueryAs(token, "{ deposits(first: 1) { nodes { id } } }").WantOK()
		if strings.Contains(first.stderr.String()+second.stderr.String(), `"sandbox: `) {
			t.Errorf("warnings: %s%s", first.stderr, second.stderr)
		}
		break
	}
	info, err := os.Stat(filepath.Join(p.cacheDir, "pixgraph", "sandbox-key.pem"))
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("the key file: %v, %v", info, err)
	}
}

// TestKeyOfTheSandbox: a gateway over its sandbox runs without a usable key file, and logs that once.
func TestKeyOfTheSandbox(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	broken := t.TempDir()
	if err := os.Mkdir(filepath.Join(broken, "pixgraph"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(broken, "pixgraph", "sandbox-key.pem"), []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, cacheDir, logs string }{
		{"no cache", "", "the user has no cache directory"},
		{"a cache that cannot be written", file, "its key cannot be stored"},
		{"a broken file", broken, "was replaced"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := launchAs(t, Process{cacheDir: tt.cacheDir})
			tryGreeting(t, r)
			if log := r.stderr.String(); strings.Count(log, `"WARN","msg":"sandbox: `) != 1 || !strings.Contains(log, tt.logs) || strings.Contains(log, t.TempDir()) {
				t.Errorf("%s", log)
			}
		})
	}
}
