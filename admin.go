package main

import (
	"io"
	"net/http"
	"net/http/pprof"
	"runtime"
	"sync/atomic"
)

// The admin address is for whoever runs the gateway, and for nobody else: it asks for no token.

// adminMux serves the gateway's health and metrics, and with profiling Go's profiles.
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

// sampleEvery is Go's own rate of heap profiles, in bytes allocated.
const sampleEvery = 512 << 10

// sampleHeap has the runtime note one allocation in so many bytes, or none. A program that links net/http/pprof pays for
// that unless it says otherwise: two hundredths of the gateway's CPU were seen.
func sampleHeap(on bool) {
	runtime.MemProfileRate = 0
	if on {
		runtime.MemProfileRate = sampleEvery
	}
}

// health serves /healthz, which is about the process, and /readyz, which is about whether it should get requests.
func health(ready func() error, draining *atomic.Bool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		switch err := ready(); {
		case draining.Load():
			http.Error(w, "draining", http.StatusServiceUnavailable)
		case err != nil:
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		default:
			_, _ = io.WriteString(w, "ok\n")
		}
	})
	return mux
}
