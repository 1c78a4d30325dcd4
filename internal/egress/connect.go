package egress

import (
	"cmp"
	"context"
	"net"
	"time"
)

// attemptDelay is the time after which the next address of a name is tried too (RFC 8305, section 5).
const attemptDelay = 250 * time.Millisecond

// connect makes a TCP connection to the first address of a host that answers. net.Dialer alone gives an address at
// least 2 seconds before it tries the next one of the same family, and that is the whole connect timeout.
func (a *Access) connect(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	var resolver Resolver = net.DefaultResolver
	if a.config.Resolver != nil {
		resolver = a.config.Resolver
	}
	addresses, err := resolver.LookupIPAddr(ctx, host)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		conn net.Conn
		err  error
	}
	results := make(chan result)
	try := func(address string) {
		conn, err := a.dialer.DialContext(ctx, network, address)
		select {
		case results <- result{conn, err}:
		case <-ctx.Done(): // another address was faster
			if err == nil {
				_ = conn.Close()
			}
		}
	}
	var first error
	for tried, failed := 0, 0; failed < len(addresses); {
		var next <-chan time.Time // never, after the last address
		if tried < len(addresses) {
			go try(net.JoinHostPort(addresses[tried].String(), port))
			tried++
			next = time.After(attemptDelay)
		}
		select {
		case r := <-results:
			if r.err == nil {
				return r.conn, nil
			}
			first = cmp.Or(first, r.err)
			failed++
		case <-next:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, first
}
