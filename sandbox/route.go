package sandbox

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"pixgraph/sandbox/ledger"
)

// The services, as in Call.Service and Fault.Service, and their base paths.
// These are not empty, so that a client that drops base paths fails.
const (
	Core       = "core"
	Dispatcher = "dispatcher"

	coreBase       = "/core/v1"
	dispatcherBase = "/dispatcher/v1"
)

// operation is one endpoint of the contract (spec 4).
type operation struct {
	service string
	segment string // the first of the path below the base path
	kind    ledger.Kind
	invalid bool        // 422 is one of its statuses
	id      *parameter  // in the path; nil for a list
	query   []parameter // of a list
}

// configured returns the operations with what cfg decides: whether bounds of dates are exclusive, and the paging
// parameters.
func configured(cfg Config) []operation {
	list := operations()
	for i, o := range list {
		if o.id != nil {
			continue
		}
		for j, p := range o.query {
			o.query[j].exclusive = cfg.ExclusiveDates && p.form == formDate
		}
		list[i].query = slices.Concat(o.query, pageParameters(cfg))
	}
	return list
}

// routeNames returns the names of the operations, as in Fault.Route: the kinds of their records.
func routeNames() []string {
	var names []string
	for _, kind := range ledger.Kinds() {
		names = append(names, kind.String())
	}
	return names
}

// target is the operation of a call and, if the path has one, an id. The zero target is an unknown path.
type target struct {
	*operation
	id string
}

// route is the name of the operation; "" for an unknown path.
func (t target) route() string {
	if t.operation == nil {
		return ""
	}
	return t.kind.String()
}

// targetOf finds the target of a call. It splits the escaped path, so an id
// with %2F is one segment. It never redirects: a path that http.ServeMux would
// clean up is an unknown path here.
func (s *Sandbox) targetOf(service string, u *url.URL) target {
	base := coreBase
	if service == Dispatcher {
		base = dispatcherBase
	}
	path, ok := strings.CutPrefix(u.EscapedPath(), base+"/")
	if !ok {
		return target{}
	}
	segment, rest, deeper := strings.Cut(path, "/")
	i := slices.IndexFunc(s.operations, func(o operation) bool {
		return o.service == service && o.segment == segment && (o.id != nil) == deeper
	})
	id, err := url.PathUnescape(rest)
	if i < 0 || deeper && id == "" || err != nil || strings.Contains(rest, "/") {
		return target{}
	}
	return target{&s.operations[i], id}
}

// respond handles a call of the two APIs: the checks in their fixed order, then the operation.
func (s *Sandbox) respond(service string, to target, r *http.Request) answer {
	if to.operation == nil {
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
	if to.operation.id == nil {
		return s.list(r, to.operation)
	}
	return s.record(r, to)
}

// record handles an endpoint of one record. Where 422 is no status of the endpoint, an id without a record is a 404,
// whatever its form.
func (s *Sandbox) record(r *http.Request, to target) answer {
	if to.invalid {
		var broken []violation
		if _, message := to.operation.id.read([]string{to.id}); message != "" {
			broken = append(broken, violation{to.operation.id.name, message})
		}
		_, more := readQuery(r.URL.RawQuery, nil, s.cfg.StrictQuery)
		if broken = append(broken, more...); len(broken) > 0 {
			return problemAnswer(http.StatusUnprocessableEntity, "validation failed", broken...)
		}
	}
	e, ok := s.ledger.Find(to.kind, to.id)
	if !ok {
		return problemAnswer(http.StatusNotFound, to.route()+" not found")
	}
	return jsonAnswer(http.StatusOK, e.JSON())
}
