package gateway

import (
	"fmt"
	"io"
	"net/http"
	"net/http/pprof"
	"runtime"
	"sync/atomic"

	"pixgraph/auth"
)

// The admin address is only for the operator of the gateway: it requires no token.

// adminMux serves the gateway's health and metrics, and Go's profiles if profiling is on.
func adminMux(health, metrics http.Handler, profiling bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", health)
	mux.Handle("GET /metrics", metrics)
	if profiling {
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	return mux
}

// sampleEvery is Go's default rate of heap profiling, in bytes allocated.
const sampleEvery = 512 << 10

// sampleHeap turns the sampling of allocations for heap profiles on or off. The runtime samples by default in a program
// that links net/http/pprof; that took 2 % of the gateway's CPU time.
func sampleHeap(on bool) {
	runtime.MemProfileRate = 0
	if on {
		runtime.MemProfileRate = sampleEvery
	}
}

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
