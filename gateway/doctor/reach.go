package doctor

import (
	"fmt"
	"net/url"
	"time"

	"pixgraph/auth"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// Checks without a token: whether the services are reachable.

// nonexistentID is an id that no notification and no transaction has: a UUID that no generator returns.
const nonexistentID = "00000000-0000-4000-8000-000000000000"

// core and dispatcher call the services without a token, which they must reject with 401 (spec 5, point 2).
func (e *examination) core() Check {
	e.connection("connection core", "core", e.Settings.Client.CoreURL, e.Core)
	began := time.Now()
	_, err := e.apis.Open(client.Operation{}).Deposits(e.ctx, nil, client.PageRequest{})
	return e.reached(upstream.Core, "core_url", e.Settings.Client.CoreURL, err, time.Since(began))
}

func (e *examination) dispatcher() Check {
	e.connection("connection dispatcher", "dispatcher", e.Settings.Client.DispatcherURL, e.Dispatcher)
	began := time.Now()
	_, err := e.apis.Open(client.Operation{}).Notification(e.ctx, nonexistentID)
	return e.reached(upstream.Dispatcher, "dispatcher_url", e.Settings.Client.DispatcherURL, err, time.Since(began))
}

func (e *examination) reached(service upstream.Service, setting, address string, err error, took time.Duration) Check {
	detail := fmt.Sprintf("%s, %d ms", address, took.Milliseconds())
	kind := upstream.KindOf(err)
	switch {
	case err == nil:
		return failed(detail+": it responded without a token", "it must respond with 401: every client that reaches it can read all records")
	case kind == upstream.KindUnauthenticated && unencrypted(address):
		return warned(detail+": 401 without a token, as expected; not encrypted", "tokens are sent in clear text: use https in "+setting)
	case kind == upstream.KindUnauthenticated:
		return passed(detail + ": 401 without a token, as expected")
	case kind == upstream.KindForbidden || kind == upstream.KindNotFound:
		return warned(detail+": "+kind.String()+" without a token, but the spec says 401", "check the path of "+setting)
	default:
		e.down[service] = true
		return failed(detail+": "+err.Error(), e.remedy(err))
	}
}

// unencrypted reports whether a request to the address can be read on the network.
func unencrypted(address string) bool {
	u, err := url.Parse(address)
	return err == nil && !auth.Trustworthy(u)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
