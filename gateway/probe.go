package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"pixgraph/gateway/settings"
	"pixgraph/internal/httpserver"
)

const probeHelp = `
It is for health checks in the container, whose image has no other program. It requests /readyz of the admin address in
the settings, which it reads from the same sources as the gateway. The exit code is 0 if the gateway is ready, 1 if it is
not or does not respond within two seconds, and 2 if the settings are invalid. It prints nothing, or the reason on the
standard error. "pixgraph help" lists the flags of the settings.
`

// probeFlags are the flags of the probe alone.
type probeFlags struct{ liveness string }

func (f *probeFlags) list() []settings.Flag {
	return []settings.Flag{{
		Name: "liveness", Value: &f.liveness,
		Help: "request /healthz instead: whether the process responds, also while it shuts down or lacks the keys of its issuers",
	}}
}

// probeTimeout is how long the admin address may take. It makes no calls, so a healthy gateway needs milliseconds.
const probeTimeout = 2 * time.Second

// probe runs `pixgraph probe` and returns the exit code: exitFailed if the gateway is not ready.
func probe(ctx context.Context, p Process) int {
	var flags probeFlags
	s, err := settings.Load(p.Args, p.Environ, flags.list()...)
	if err != nil {
		return fail(p, exitUsage, err)
	}
	path := "/readyz"
	if flags.liveness != "" {
		path = "/healthz"
	}
	if err := requestHealth(ctx, s.AdminListen, path); err != nil {
		return fail(p, exitFailed, fmt.Errorf("probe: %w", err))
	}
	return exitOK
}

// requestHealth requests a path of the admin address of a gateway on this machine. It returns an error unless the
// response is a 200.
func requestHealth(ctx context.Context, address, path string) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	transport := &http.Transport{
		DisableKeepAlives: true, MaxResponseHeaderBytes: httpserver.MaxHeader,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var dialer net.Dialer
			if path, isUnix := settings.UnixPath(address); isUnix {
				return dialer.DialContext(ctx, "unix", path)
			}
			return dialer.DialContext(ctx, "tcp", address) // an address of all interfaces is that of this machine
		},
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://admin"+path, nil)
	if err != nil {
		return err
	}
	resp, err := transport.RoundTrip(req)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("admin_listen did not respond within %s", probeTimeout)
	}
	if err != nil {
		return fmt.Errorf("admin_listen: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxReason)) // what was read until an error says something too
		reason, _, _ := strings.Cut(string(body), "\n")
		return fmt.Errorf("%s responded with %d: %s", path, resp.StatusCode, reason)
	}
	return nil
}

// maxReason bounds what is read of the reason why a gateway is not ready, in bytes.
const maxReason = 1024
