package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// role creates the handler of a server from its configuration. Goroutines that it starts end with the context.
type role func(ctx context.Context, config *json.Decoder) (http.Handler, error)

// The roles of this binary, by their names in its first argument.
const (
	scriptedRole   = "serve-scripted"
	proxyRole      = "serve-proxy"
	backgroundRole = "run-background"
)

func roles() map[string]role {
	return map[string]role{scriptedRole: newScripted, proxyRole: newProxy, backgroundRole: newBackground}
}

// serve reads the configuration, listens on a free port, reports the address, and serves until the context or the input
// ends. The input ends with the process that started this one.
func (r role) serve(ctx context.Context, in io.Reader, log io.Writer) error {
	handler, err := r(ctx, json.NewDecoder(in))
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second} // as the gateway's
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	go func() {
		_, _ = io.Copy(io.Discard, in)
		_ = server.Close()
	}()
	_, _ = fmt.Fprintf(log, `{"msg":"serving","address":%q,"admin":%[1]q}`+"\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// newTransport returns a transport with the limits of the gateway's client.
func newTransport() *http.Transport {
	return &http.Transport{MaxIdleConnsPerHost: 256, MaxConnsPerHost: 256, IdleConnTimeout: 90 * time.Second, DisableCompression: true}
}

// newProxy returns Go's reverse proxy, with pools of connections and of buffers. Its configuration is the URL of the
// server.
func newProxy(_ context.Context, config *json.Decoder) (http.Handler, error) {
	var base url.URL
	err := config.Decode(&base)
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&base) }, Transport: newTransport(),
		BufferPool: &buffers{sync.Pool{New: func() any { return new([32 << 10]byte) }}},
	}, err
}

// buffers implements httputil.BufferPool.
type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte       { return b.pool.Get().(*[32 << 10]byte)[:] }
func (b *buffers) Put(buffer []byte) { b.pool.Put((*[32 << 10]byte)(buffer)) }

// script is what a scripted server does for one request target.
type script struct {
	Calls    [][]*url.URL // upstream: those of a round at the same time, the rounds one after the other
	Response []byte
}

// scripted is a server that follows scripts. Without calls it is the stand-in for the APIs: all responses are in
// memory. With the calls that the gateway makes, and the gateway's recorded responses, it is the floor: the same work
// without GraphQL.
type scripted struct {
	scripts   map[string]script // by request target
	transport *http.Transport
	buffers   sync.Pool // of *bytes.Buffer, for the bodies of calls
}

func newScripted(_ context.Context, config *json.Decoder) (http.Handler, error) {
	s := &scripted{transport: newTransport(), buffers: sync.Pool{New: func() any { return new(bytes.Buffer) }}}
	return s, config.Decode(&s.scripts)
}

// ServeHTTP follows the script of the request target.
func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	script, found := s.scripts[r.RequestURI]
	if !found {
		http.NotFound(w, r)
		return
	}
	_, err := io.Copy(io.Discard, r.Body)
	for i := 0; err == nil && i < len(script.Calls); i++ {
		err = s.callAll(r, script.Calls[i])
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header()["Content-Type"] = []string{"application/json; charset=utf-8"}
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(script.Response))}
	_, _ = w.Write(script.Response)
}

// callAll makes calls at the same time, the first one in this goroutine.
func (s *scripted) callAll(r *http.Request, targets []*url.URL) error {
	var calls sync.WaitGroup
	errs := make([]error, len(targets))
	for i, target := range targets[1:] {
		calls.Go(func() { errs[i+1] = s.call(r, target) })
	}
	errs[0] = s.call(r, targets[0])
	calls.Wait()
	return errors.Join(errs...)
}

// call gets one record or page with the caller's token, and reads the body to its end.
func (s *scripted) call(r *http.Request, target *url.URL) error {
	req := (&http.Request{
		Method: http.MethodGet, URL: target, Host: target.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Authorization": r.Header["Authorization"], "Accept": {"application/json"}, "User-Agent": {"pixgraph"}},
	}).WithContext(r.Context())
	resp, err := s.transport.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New("a call got the status " + resp.Status)
	}
	buffer := s.buffers.Get().(*bytes.Buffer)
	defer s.buffers.Put(buffer)
	buffer.Reset()
	_, err = buffer.ReadFrom(resp.Body)
	return err
}
