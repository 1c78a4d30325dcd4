package hostile

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"pixgraph/internal/certs/certstest"
	"pixgraph/test/gatewaytest"
)

// balancerKind is a proxy for which deploy/ or testdata has a configuration.
type balancerKind struct {
	name, file string
	scheme     string // of clients; https if empty
	// ends are the protocols of clients to which the proxy ends a file that broke as if it was whole.
	ends []string
	// edit returns the file with the address and the certificate of a test, which may be written to the directory.
	edit func(t *testing.T, text, address, dir string, pair certstest.Pair) string
	// main wraps the file, if it is a part of a configuration.
	main        string
	check, args []string
}

// nginxMain stands for /etc/nginx/nginx.conf. A single process ends with the test, as any user.
const nginxMain = `daemon off; master_process off; pid DIR/pid; error_log stderr;
events { worker_connections 1000; }
http {
	client_body_temp_path DIR/body; proxy_temp_path DIR/proxy; fastcgi_temp_path DIR/fastcgi; uwsgi_temp_path DIR/uwsgi; scgi_temp_path DIR/scgi;
	include DIR/shipped;
}`

func balancerKinds() []balancerKind {
	return []balancerKind{
		{
			name: "haproxy", file: "../../deploy/haproxy/haproxy.cfg",
			edit: func(t *testing.T, text, address, dir string, pair certstest.Pair) string {
				pem := certstest.Write(t, dir, "pem", append(pair.Cert, pair.Key...))
				text = replace(t, text, "user haproxy", "", "group haproxy", "") // which only root can become
				return replace(t, text, "bind :443", "bind "+address, "/etc/haproxy/pixgraph.pem", pem)
			},
			check: []string{"-c", "-f", "DIR/shipped"}, args: []string{"-db", "-f", "DIR/shipped"},
		},
		{
			name: "nginx", file: "../../deploy/nginx/pixgraph.conf",
			edit: func(t *testing.T, text, address, dir string, pair certstest.Pair) string {
				cert, key := pair.Write(t, dir)
				return replace(t, text, "/var/log/nginx/error.log", "stderr",
					"listen 443", "listen "+address, "/etc/nginx/pixgraph.crt", cert, "/etc/nginx/pixgraph.key", key)
			},
			main:  nginxMain,
			check: []string{"-t", "-e", "stderr", "-c", "DIR/main"}, args: []string{"-e", "stderr", "-c", "DIR/main"},
		},
	}
}

// replace replaces texts that the file must have.
func replace(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Errorf("the file lacks %q", pairs[i])
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// balancer is a running proxy in front of some addresses, at which a test starts gateways.
type balancer struct {
	scheme, address  string // of clients
	public, admin    []string
	authority        *certstest.CA
	transport, http1 *http.Transport // of clients with HTTP/2 and HTTP/1.1
}

// startBalancer starts a proxy with its configuration of deploy/, in which addresses and the certificate are replaced.
// It ends with the test.
func startBalancer(t *testing.T, kind balancerKind) *balancer {
	t.Helper()
	return startBalancerOf(t, kind, 2)
}

// startBalancerOf is startBalancer for another number of gateways than the two of the configuration: more with HAProxy
// only.
func startBalancerOf(t *testing.T, kind balancerKind, gateways int) *balancer {
	t.Helper()
	command, err := exec.LookPath(kind.name)
	if err != nil {
		if command, err = exec.LookPath("/usr/sbin/" + kind.name); err != nil { // which is not in the path of every user
			t.Fatalf("%s is missing: make proxies", kind.name)
		}
	}
	// Nothing else on the machine uses these addresses, so a gateway that starts again finds its port free.
	network := fmt.Sprintf("127.%d.%d.", 1+rand.IntN(250), rand.IntN(250))
	p := &balancer{scheme: cmp.Or(kind.scheme, "https"), authority: certstest.New(t, "proxies")}
	ports := [3]string{}
	for i := range ports {
		listener, err := net.Listen("tcp", network+"1:0")
		must(t, err)
		defer listener.Close()
		_, ports[i], _ = net.SplitHostPort(listener.Addr().String())
	}
	for i := range gateways {
		host := fmt.Sprint(network, 11+i)
		p.public, p.admin = append(p.public, net.JoinHostPort(host, ports[0])), append(p.admin, net.JoinHostPort(host, ports[1]))
	}
	p.address = net.JoinHostPort(network+"10", ports[2])

	dir := t.TempDir()
	text, err := os.ReadFile(kind.file)
	must(t, err)
	for i := 3; i <= gateways; i++ {
		text = fmt.Appendf(text, "    server gateway-%d 192.0.2.%d:8080\n", i, 10+i)
	}
	shipped := replace(t, string(text), "192.0.2.", network, "8080", ports[0])
	if strings.Contains(shipped, "9090") {
		shipped = replace(t, shipped, "check port 9090", "check port "+ports[1])
	}
	certstest.Write(t, dir, "shipped", []byte(kind.edit(t, shipped, p.address, dir, p.authority.Issue(t, 48*time.Hour, network+"10"))))
	inDir := strings.NewReplacer("DIR", dir, "ADDRESS", p.address)
	certstest.Write(t, dir, "main", []byte(inDir.Replace(kind.main)))
	args := func(list []string) []string { return strings.Split(inDir.Replace(strings.Join(list, "\n")), "\n") }
	if out, err := exec.CommandContext(t.Context(), command, args(kind.check)...).CombinedOutput(); err != nil {
		t.Fatalf("%s does not accept %s: %v: %s", kind.name, kind.file, err, out)
	}
	log := &gatewaytest.Log{}
	process := exec.CommandContext(t.Context(), command, args(kind.args)...)
	process.Stdout, process.Stderr = log, log
	process.Env = append(os.Environ(), "XDG_CONFIG_HOME="+dir) // where Caddy saves its configuration
	must(t, process.Start())
	t.Cleanup(func() {
		_ = process.Wait() // the end of the test's context has killed it
		if strings.Contains(log.String(), "/graphql") {
			t.Error("the log of the proxy has URLs of requests")
		}
		if t.Failed() {
			t.Logf("%s: %.5000s", kind.name, log)
		}
	})
	trusted := &tls.Config{RootCAs: p.authority.Pool()}
	p.transport = &http.Transport{TLSClientConfig: trusted, ForceAttemptHTTP2: true}
	p.http1 = &http.Transport{TLSClientConfig: trusted.Clone(), MaxIdleConnsPerHost: 100}
	p.http1.TLSClientConfig.NextProtos = []string{"http/1.1"}
	t.Cleanup(func() { p.transport.CloseIdleConnections(); p.http1.CloseIdleConnections() })
	await(t, kind.name+" did not start", func() bool {
		conn, err := net.Dial("tcp", p.address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return p
}

// url is the address of the proxy for clients.
func (p *balancer) url() string { return p.scheme + "://" + p.address }

// awaitUse sends queries until the proxy has sent one to the gateway.
func (p *balancer) awaitUse(t *testing.T, l *launched, token string) {
	t.Helper()
	client := &http.Client{Transport: p.transport, Timeout: timeout}
	await(t, "the proxy does not use the gateway", func() bool {
		_ = sendQuery(client, p.url(), token) // fails while no gateway is in use
		n, err := l.Metric(t.Context(), `pixgraph_http_requests_total{path="/graphql",status="200"}`)
		return err == nil && n > 0
	})
}
