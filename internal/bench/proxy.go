package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httputil"
	"net/url"
	"sync"
)

// runProxy serves a reverse proxy that passes on whole pages of the API at the URL that is its argument. It is Go's own,
// with a pool of connections and of buffers.
func runProxy(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if len(args) != 1 {
		return errors.New("proxy: needs a URL")
	}
	base, err := url.Parse(args[0])
	if err != nil {
		return fmt.Errorf("proxy: %w", err)
	}
	return serveRole(ctx, stdin, stdout, serveHTTP(&httputil.ReverseProxy{
		Rewrite:    func(r *httputil.ProxyRequest) { r.SetURL(base) },
		Transport:  newTransport(),
		BufferPool: &copyBuffers{sync.Pool{New: func() any { return new(copyBuffer) }}},
	}))
}

// copyBuffer is as large as httputil.ReverseProxy would make one.
type copyBuffer [32 << 10]byte

// copyBuffers implements httputil.BufferPool.
type copyBuffers struct{ pool sync.Pool }

// Get implements httputil.BufferPool.
func (b *copyBuffers) Get() []byte { return b.pool.Get().(*copyBuffer)[:] }

// Put implements httputil.BufferPool.
func (b *copyBuffers) Put(buffer []byte) { b.pool.Put((*copyBuffer)(buffer)) }
