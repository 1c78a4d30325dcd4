package client

import (
	"context"
	"errors"
	"os"

	"pixgraph/internal/netcause"
	"pixgraph/internal/quota"
	"pixgraph/upstream"
	"pixgraph/upstream/http1"
)

// classify returns the kind of the error of an exchange without a complete response, and a cause that can be logged.
// Error texts of packages net and net/http contain the address and data of the server, so they are dropped. The end of
// the context takes precedence over the error that it caused.
func classify(ctx context.Context, err error) (upstream.Kind, error) {
	var exceeded *quota.Exceeded
	switch {
	case errors.As(err, &exceeded):
		return upstream.KindOverloaded, exceeded
	case errors.Is(err, quota.ErrExhausted):
		return upstream.KindOverloaded, quota.ErrExhausted
	case errors.Is(ctx.Err(), context.Canceled):
		return upstream.KindCanceled, context.Canceled
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return upstream.KindTimeout, context.DeadlineExceeded
	case errors.Is(err, http1.ErrConnect):
		return upstream.KindUnavailable, http1.ErrConnect
	case errors.Is(err, http1.ErrTooLarge):
		return upstream.KindInvalidResponse, http1.ErrTooLarge
	case errors.Is(err, http1.ErrCoding):
		return upstream.KindInvalidResponse, http1.ErrCoding
	case errors.Is(err, http1.ErrGzip):
		return upstream.KindInvalidResponse, http1.ErrGzip
	default:
		return upstream.KindUnavailable, netcause.Of(err)
	}
}
