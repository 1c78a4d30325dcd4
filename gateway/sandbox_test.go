package gateway_test

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/gateway"
	"pixgraph/internal/memnet"
	"pixgraph/test/gatewaytest"
	"pixgraph/test/replica"
)

var (
	tokenCommand = regexp.MustCompile(`TOKEN=\$\(curl -s (\S+)\)`)
	queryCommand = regexp.MustCompile(`curl -sg "([^"]+)" -H "Authorization: Bearer \$TOKEN"`)
)

// startSandbox starts a gateway over its sandbox. Its client has a token.
func startSandbox(t *testing.T) *replica.Replica {
	t.Helper()
	r := replica.Start(t, gateway.Process{})
	r.Token = tokenOf(t, r)
	return r
}

// at returns the client of a gateway for another URL, without a token.
func at(r *replica.Replica, url string) gatewaytest.Client {
	return gatewaytest.Client{T: r.T, URL: url, HTTP: r.HTTP}
}

// tokenOf returns the token of the first command that `make run` prints.
func tokenOf(t *testing.T, r *replica.Replica) string {
	t.Helper()
	command := tokenCommand.FindStringSubmatch(r.Stdout.String())
	if command == nil {
		t.Fatalf("no command for a token in %q", r.Stdout)
	}
	got := at(r, "http://"+command[1]).Get("")
	if got.Status != http.StatusOK {
		t.Fatalf("%s: status %d, %s", command[1], got.Status, got.Body)
	}
	return strings.TrimRight(string(got.Body), "\n") // as $(…) does
}

// tryGreeting sends the requests of the two commands that `make run` prints, and checks the response.
func tryGreeting(t *testing.T, r *replica.Replica) {
	t.Helper()
	command := queryCommand.FindStringSubmatch(r.Stdout.String())
	if command == nil {
		t.Fatalf("no command for a query in %q", r.Stdout)
	}
	client := at(r, "http://"+command[1])
	client.Token = tokenOf(t, r)
	got := client.Get("")
	if string(got.Body) != `{"data":{"deposits":{"totalCount":2000}}}` {
		t.Errorf("the response to the curl command is %d %s", got.Status, got.Body)
	}
}

// TestGreeting: the printed commands work and fit a terminal, and the addresses exist.
func TestGreeting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := replica.Start(t, gateway.Process{})
		tryGreeting(t, r)
		pages := regexp.MustCompile(`(?m)^  (\w+) +(http://\S+)`).FindAllStringSubmatch(r.Stdout.String(), -1)
		var found []string
		for _, page := range pages {
			want := http.StatusOK
			if found = append(found, page[1]); page[1] == "GraphQL" {
				want = http.StatusUnauthorized
			}
			if got := at(r, page[2]).Get(""); got.Status != want {
				t.Errorf("%s returned %d", page[2], got.Status)
			}
		}
		if !reflect.DeepEqual(found, []string{"GraphiQL", "Payments", "GraphQL", "Schema", "Sandbox"}) {
			t.Errorf("addresses of %v in %s", found, r.Stdout)
		}
		_, port, err := net.SplitHostPort(r.Address())
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(strings.ReplaceAll(r.Stdout.String(), ":"+port, ":8080")) {
			if strings.Contains(line, "eyJ") || len(line) > 101 {
				t.Errorf("%d columns, or a token: %s", len(line)-1, line)
			}
		}
	})
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
			"--links-metadata-pointer=/ids", "--cors-origins=https://app.example.com", "--trace=off"},
			[]string{`"auth_audience":"mine,other"`, `"paging_page_param":"p"`, `"paging_per_page_param":"page[size]"`,
				`"links_metadata_pointer":"/ids"`, `"trace":"off"`, `"cors_origins":"https://app.example.com,http://localhost:*,`}},
		{"forward, one paging name, every origin", []string{"--auth-mode=forward", "--paging-per-page-param=limit", "--cors-origins=*"},
			[]string{`"auth_mode":"forward"`, `"auth_issuer":""`, `"paging_page_param":"page"`, `"paging_per_page_param":"limit"`, `"cors_origins":"*"`}},
		{"all interfaces", []string{"--listen=:0"}, nil},
		{"all interfaces, IPv4", []string{"--listen=0.0.0.0:0"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := replica.Start(t, gateway.Process{}, tt.flags...)
				tryGreeting(t, r)
				if body := r.QueryAs(tokenOf(t, r), "{ deposits(page: 2, perPage: 3) { currentPage } }").Body; string(body) != `{"data":{"deposits":{"currentPage":2}}}` {
					t.Errorf("page 2 is %s", body)
				}
				for _, text := range tt.logs {
					if !strings.Contains(r.Stderr.String(), text) {
						t.Errorf("%s is not in %s", text, r.Stderr)
					}
				}
			})
		})
	}
}

// TestSandboxIssuer: the issuer has the address of the gateway, by both names of the host. The tokens of each name are
// accepted, and GraphiQL signs in at the name that it was opened at.
func TestSandboxIssuer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := replica.Start(t, gateway.Process{}, "--mcp=on")
		_, port, err := net.SplitHostPort(r.Address())
		if err != nil {
			t.Fatal(err)
		}
		for _, base := range []string{"http://127.0.0.1:" + port, "http://localhost:" + port} {
			named := at(r, base)
			issuer := base + "/sandbox/issuer"
			for path, want := range map[string]string{
				"/sandbox/issuer/.well-known/openid-configuration":       `"issuer":"` + issuer + `"`,
				"/.well-known/oauth-authorization-server/sandbox/issuer": `"registration_endpoint":"` + issuer + `/register"`,
				"/.well-known/oauth-protected-resource/mcp":              `"resource":"` + base + `/mcp"`,
			} {
				if got := named.Get(path); !strings.Contains(string(got.Body), want) {
					t.Errorf("%s%s: %d %s", base, path, got.Status, got.Body)
				}
			}
			token := string(named.Get("/sandbox/token").Body)
			for _, url := range []string{"http://127.0.0.1:" + port, "http://localhost:" + port} {
				at(r, url).QueryAs(token, "{ deposits(first: 1) { nodes { id } } }").WantOK()
			}
			page := string(named.Get("/").WantOK().Body)
			if strings.Contains(page, "console-config") && !strings.Contains(page, `"issuer":"`+issuer+`"`) {
				t.Errorf("the page at %s signs in elsewhere", base)
			}
			if !strings.Contains(page, "Pixgraph") || strings.Contains(page, "eyJ") {
				t.Errorf("the page at %s is none, or has a token: %.300s", base, page)
			}
		}
	})
}

// TestRestart: a token outlives a restart of the gateway at the same address, because the key of the sandbox is in the
// user's cache, where only the user can read it.
func TestRestart(t *testing.T) {
	p := gateway.Process{CacheDir: t.TempDir()}
	synctest.Test(t, func(t *testing.T) {
		p.Sockets = &memnet.Network{}
		first := replica.Start(t, p)
		token := tokenOf(t, first)
		first.QueryAs(token, "{ deposits(first: 1) { nodes { id } } }").WantOK()
		first.Stop()
		wantStopped(t, first)
		second := replica.Start(t, p, "--listen="+first.Address())
		second.QueryAs(token, "{ deposits(first: 1) { nodes { id } } }").WantOK()
		if log := first.Stderr.String() + second.Stderr.String(); strings.Contains(log, `"sandbox: `) {
			t.Errorf("warnings: %s", log)
		}
	})
	info, err := os.Stat(filepath.Join(p.CacheDir, "pixgraph", "sandbox-key.pem"))
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
			synctest.Test(t, func(t *testing.T) {
				r := replica.Start(t, gateway.Process{CacheDir: tt.cacheDir})
				tryGreeting(t, r)
				if log := r.Stderr.String(); strings.Count(log, `"WARN","msg":"sandbox: `) != 1 || !strings.Contains(log, tt.logs) || strings.Contains(log, t.TempDir()) {
					t.Errorf("%s", log)
				}
			})
		})
	}
}
