package gateway

import (
	"fmt"
	"io"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"sync/atomic"

	"pixgraph/auth"
)

// The admin address is only for the operator of the gateway: it requires no token.

// adminMux serves the gateway's health and metrics, and Go's profiles.
func adminMux(health, metrics http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", health)
	mux.Handle("GET /metrics", metrics)
	for path, profile := range map[string]http.HandlerFunc{
		"": pprof.Index, "profile": pprof.Profile, "symbol": pprof.Symbol, "trace": pprof.Trace,
	} {
		mux.Handle("GET /debug/pprof/"+path, forThisMachine(profile))
	}
	return mux
}

// forThisMachine serves clients on the same machine, or in the same pod, only: a client that can read metrics over the
// network should not be able to take processor time by profiles.
func forThisMachine(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		address, err := netip.ParseAddrPort(r.RemoteAddr)
		if err == nil && !address.Addr().Unmap().IsLoopback() { // a client of a unix socket has no address
			http.Error(w, "profiles are for clients on the same machine", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// sampleEvery is the rate of heap profiling, in bytes allocated. Go's default, 512 KiB, took 2 % of the gateway's CPU
// time.
const sampleEvery = 16 << 20

// health serves /healthz, which reports whether the process runs, and /readyz, which reports whether it should receive
// requests, and issuers whose keys are missing.
func health(tokens *auth.Authenticator, draining *atomic.Bool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		switch err := tokens.Ready(); {
		case draining.Load():
			http.Error(w, "draining", http.StatusServiceUnavailable)
		case err != nil:
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		default:
			_, _ = io.WriteString(w, "ok\n")
			for _, issuer := range tokens.Missing() {
				_, _ = fmt.Fprintf(w, "no keys yet of issuer %s\n", issuer)
			}
		}
	})
	return mux
}
