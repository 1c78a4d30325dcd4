package hostile

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gobwas/ws"

	"pixgraph/test/gatewaytest"
)

// balanced sends what a proxy might not pass on, or change: WebSockets, the largest requests, and the addresses of
// clients, which cannot pretend to have another one.
func balanced(t *testing.T, binary string, kind balancerKind) {
	box, proxy := gatewaytest.NewSandbox(t), startBalancer(t, kind)
	for i := range proxy.public {
		l := launch(t, binary, releaseEnviron(), gatewaytest.Flags(box, "--listen="+proxy.public[i], "--admin-listen="+proxy.admin[i],
			"--shutdown-delay=0s", "--rate-address=0.001", "--rate-identity-burst=40", "--rate-trusted-proxies=127.0.0.1/32")...)
		proxy.awaitUse(t, l, box.Token())
	}
	// from returns a client at an address of its own.
	from := func(host string) (net.Dialer, http.RoundTripper) {
		dialer, transport := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(host)}}, proxy.transport.Clone()
		transport.DialContext = dialer.DialContext
		t.Cleanup(transport.CloseIdleConnections)
		return dialer, transport
	}
	send := func(client http.RoundTripper, method, path, body string, header http.Header) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), method, proxy.url()+path, strings.NewReader(body))
		must(t, err)
		req.Header = http.Header{"Authorization": {"Bearer " + box.Token()}, "Content-Type": {"application/json"}}
		for name, values := range header {
			req.Header[name] = values
		}
		resp, err := client.RoundTrip(req)
		must(t, err)
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		must(t, err)
		return resp.StatusCode, string(text)
	}
	dialer, client := from("127.0.0.2")
	openWebSocket(t, ws.Dialer{TLSConfig: proxy.http1.TLSClientConfig, NetDial: dialer.DialContext}, "wss://"+proxy.address, box.Token(),
		fmt.Sprintf(`{"query":"subscription { transaction(id: \"%s\") { status } }"}`, box.Samples().OpenTransaction))
	document := "{ deposits { totalCount } }" + "#" + strings.Repeat("a", 32000)
	padded := func(size int) string { return good + strings.Repeat(" ", size-len(good)) }
	for name, row := range map[string]struct {
		method, path, body string
		status             int
		has                string
	}{
		"a long URL":                 {http.MethodGet, "/graphql?query=" + url.QueryEscape(document), "", 200, `{"data":{"deposits":`},
		"the largest body":           {http.MethodPost, "/graphql", padded(1 << 20), 200, `{"data":{"deposits":`},
		"a larger one than gateways": {http.MethodPost, "/graphql", padded(1<<20 + 1), 413, "LIMIT_EXCEEDED"},
	} {
		if status, body := send(client, row.method, row.path, row.body, http.Header{"Accept": {"application/json"}}); status != row.status ||
			!strings.Contains(body, row.has) {
			t.Errorf("%s: status %d: %.500s", name, status, body)
		}
	}
	download := http.Header{"Accept": {"text/csv"}}
	if status, body := send(client, http.MethodPost, "/graphql", asked("{ deposits { nodes { id } } }"), download); status != 200 ||
		strings.Count(body, "\n") != 1+downloadRecords {
		t.Errorf("a download: status %d: %.500s", status, body)
	}
	limited := func(i int) bool {
		status, body := send(client, http.MethodPost, "/graphql", good, http.Header{"X-Forwarded-For": {fmt.Sprint("192.0.2.", i)}})
		return status == http.StatusTooManyRequests && strings.Contains(body, "RATE_LIMITED")
	}
	for i := 1; !limited(i); i++ {
		if i > 100 {
			t.Fatal("a client is not limited if it invents addresses")
		}
	}
	_, other := from("127.0.0.3")
	if status, body := send(other, http.MethodPost, "/graphql", good, nil); status != 200 {
		t.Errorf("another client is limited too: status %d: %.500s", status, body)
	}
}
