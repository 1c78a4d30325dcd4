package sandbox

import (
	"net/http"
	"net/url"
	"strings"
)

// The services, as in Call.Service and Fault.Service, and their base paths.
// These are not empty, so that a client that drops base paths fails.
const (
	Core       = "core"
	Dispatcher = "dispatcher"

	coreBase       = "/core/v1"
	dispatcherBase = "/dispatcher/v1"
)

// The routes, as in Fault.Route.
const (
	RouteDeposit      = "deposit"      // spec 4.1
	RouteWithdrawal   = "withdrawal"   // spec 4.2
	RouteTransaction  = "transaction"  // spec 4.3
	RouteNotification = "notification" // spec 4.4
)

// routes has the route of each service and first path segment below its base path.
var routes = map[string]string{
	"core deposit": RouteDeposit, "core withdrawal": RouteWithdrawal, "core transaction": RouteTransaction,
	"dispatcher request": RouteNotification,
}

// target is the route of a call and, if the path has one, an id. The zero target is an unknown path.
type target struct {
	route string
	id    string
}

// targetOf finds the target of a call. It splits the escaped path, so an id
// with %2F is one segment. It never redirects: a path that http.ServeMux would
// clean up is an unknown path here.
func targetOf(service string, u *url.URL) target {
	base := coreBase
	if service == Dispatcher {
		base = dispatcherBase
	}
	path, ok := strings.CutPrefix(u.EscapedPath(), base+"/")
	if !ok {
		return target{}
	}
	segment, rest, deeper := strings.Cut(path, "/")
	route := routes[service+" "+segment]
	switch route {
	case RouteDeposit, RouteWithdrawal:
		if !deeper {
			return target{route: route}
		}
	case RouteTransaction, RouteNotification:
		id, err := url.PathUnescape(rest)
		if err == nil && id != "" && !strings.Contains(rest, "/") {
			return target{route: route, id: id}
		}
	}
	return target{}
}

// respond handles a call of the two APIs: the checks in their fixed order, then the route.
func (s *Sandbox) respond(service string, to target, r *http.Request) answer {
	if to.route == "" {
		return problemAnswer(http.StatusNotFound, "unknown path")
	}
	if r.Method != http.MethodGet {
		a := problemAnswer(http.StatusMethodNotAllowed, "only GET is allowed")
		a.header.Set("Allow", http.MethodGet)
		return a
	}
	if refused, ok := s.admit(service, r.Header); !ok {
		return refused
	}
	switch to.route {
	case RouteDeposit:
		return s.deposits(r)
	case RouteWithdrawal:
		return s.withdrawals(r)
	case RouteTransaction:
		return s.transaction(r, to.id)
	default:
		return s.notification(to.id)
	}
}
