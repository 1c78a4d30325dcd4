package hostile

import (
	"bytes"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pixgraph/internal/certs/certstest"
	"pixgraph/sandbox"
	"pixgraph/test/gatewaytest"
)

// otherKinds are proxies of Debian for which docs/deploy.md says what they do, with the smallest configurations.
func otherKinds() []balancerKind {
	edit := func(t *testing.T, text, address, dir string, pair certstest.Pair) string {
		host, port, _ := net.SplitHostPort(address)
		cert, key := pair.Write(t, dir)
		return strings.NewReplacer("ADDRESS", address, "HOST", host, "PORT", port, "CERT", cert, "KEY", key, "DIR", dir,
			"MODULES", "/usr/lib/apache2/modules").Replace(text)
	}
	return []balancerKind{
		{
			name: "varnishd", file: "varnish.vcl", scheme: "http", edit: edit,
			check: []string{"-V"}, args: []string{"-F", "-j", "none", "-f", "DIR/shipped", "-n", "DIR/work", "-a", "ADDRESS"},
		},
		{
			name: "caddy", file: "Caddyfile", edit: edit, ends: []string{"HTTP/1.1", "HTTP/2.0"},
			check: []string{"version"}, args: []string{"run", "--adapter", "caddyfile", "--config", "DIR/shipped"},
		},
		{
			name: "h2o", file: "h2o.yaml", edit: edit, ends: []string{"HTTP/1.1", "HTTP/2.0"},
			check: []string{"-t", "-c", "DIR/shipped"}, args: []string{"-c", "DIR/shipped"},
		},
		{
			name: "lighttpd", file: "lighttpd.conf", scheme: "http", edit: edit, ends: []string{"HTTP/1.1"},
			check: []string{"-tt", "-f", "DIR/shipped"}, args: []string{"-D", "-f", "DIR/shipped"},
		},
		{
			name: "apache2", file: "apache.conf", edit: edit,
			check: []string{"-t", "-f", "DIR/shipped"}, args: []string{"-X", "-f", "DIR/shipped"},
		},
	}
}

// files downloads a list through a proxy with each protocol of clients, as a whole and with a page that fails. The
// whole one arrives, also where trailers do not. The other one breaks, unless the proxy is known to hide that; its last
// line says so through every proxy. An entity tag is recognized, also if the proxy has changed it.
func files(t *testing.T, binary string, kind balancerKind) {
	t.Parallel()
	gateways := 2
	if !strings.Contains(kind.file, "/") {
		kind.file, gateways = "testdata/proxies/"+kind.file, 1
	}
	box, proxy := gatewaytest.NewSandbox(t), startBalancerOf(t, kind, gateways)
	for i := range proxy.public {
		flags := gatewaytest.Flags(box, "--listen="+proxy.public[i], "--admin-listen="+proxy.admin[i],
			"--upstream-timeout=50s", "--operation-timeout=50s")
		proxy.awaitUse(t, launch(t, binary, releaseEnviron(), flags...), box.Token())
	}
	// get reads a response to a GET: Caddy 2.6 may lose the end of one to a POST.
	get := func(client http.RoundTripper, document string, header http.Header) (*http.Response, string, error) {
		req := newRequest(t.Context(), proxy.url(), box.Token(), nil, 0)
		req.Method, req.URL.RawQuery = http.MethodGet, "query="+url.QueryEscape(document)
		maps.Copy(req.Header, header)
		resp, err := client.RoundTrip(req)
		must(t, err)
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		return resp, string(text), err
	}
	download := func(client http.RoundTripper, accept string, te ...string) (protocol, file string, err error) {
		document := "{ deposits(perPage: " + downloadPerPage + ") { nodes { id } } }"
		resp, file, err := get(client, document, http.Header{"Accept": {accept}, "Te": te})
		return resp.Proto, file, err
	}
	for _, client := range []http.RoundTripper{proxy.http1, proxy.transport} {
		for _, te := range [][]string{nil, {"trailers"}} {
			if te != nil && kind.name == "lighttpd" {
				continue // 1.4.69 writes them into the header, and breaks it
			}
			protocol, file, err := download(client, "text/csv", te...)
			if err != nil || strings.Count(file, "\n") != 1+downloadRecords {
				t.Errorf("%s: a whole file, TE: %v: %v: %.200s", protocol, te, err, file)
			}
		}
		heal := box.Inject(sandbox.Fault{ // another page, which is not requested again
			Route: sandbox.RouteDeposit, Match: func(r *http.Request) bool { return r.URL.Query().Get("page") == "7" },
			Mutate: func(page []byte) []byte {
				return bytes.ReplaceAll(page, []byte(`"currentPage":7`), []byte(`"currentPage":6`))
			},
		})
		protocol, file, err := download(client, "text/csv")
		if (err == nil) != slices.Contains(kind.ends, protocol) {
			t.Errorf("%s: a file that broke: %v after %d lines", protocol, err, strings.Count(file, "\n"))
		}
		_, file, err = download(client, "text/csv; end=1")
		last := `{"@download":{"complete":false,"reason":"PAGING_UNKNOWN","records":30,`
		if lines := strings.Split(file, "\n"); err != nil || len(lines) < 2 || !strings.HasPrefix(lines[len(lines)-2], last) {
			t.Errorf("%s: a file with a last line: %v: %q", protocol, err, file[max(0, len(file)-200):])
		}
		heal()
		want, tag := http.StatusOK, ""
		for range 2 {
			resp, _, _ := get(client, "{ deposits(first: 5) { nodes { id } } }",
				http.Header{"Accept-Encoding": {"gzip"}, "If-None-Match": {tag}})
			if resp.StatusCode != want || resp.Header.Get("Etag") == "" {
				t.Errorf("%s: If-None-Match: %s: status %d, %v", protocol, tag, resp.StatusCode, resp.Header)
			}
			want, tag = http.StatusNotModified, resp.Header.Get("Etag")
		}
	}
}

// TestFiles runs files behind each proxy.
func TestFiles(t *testing.T) {
	t.Parallel()
	binary := build(t)
	for _, kind := range append(balancerKinds(), otherKinds()...) {
		t.Run(kind.name, func(t *testing.T) { files(t, binary, kind) })
	}
}
