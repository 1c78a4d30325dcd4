package doctor

import (
	"fmt"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// lists reads the default page of each list.
func (e *examination) lists(apis *client.Client) {
	if e.skips("lists", upstream.Core) {
		return
	}
	deposits, err := e.session(apis).Deposits(e.ctx, nil, client.PageRequest{})
	e.down[upstream.Core] = err != nil
	listed(e, "list deposits", deposits, err)
	withdrawals, err := e.session(apis).Withdrawals(e.ctx, nil, client.PageRequest{})
	listed(e, "list withdrawals", withdrawals, err)
}

func listed[R upstream.Resource](e *examination, what string, page *upstream.Page[R], err error) {
	if err != nil {
		e.failed(what, err)
		return
	}
	if page.Total == upstream.Uncounted {
		e.report.add(what, Warn, plural(len(page.Records), "record")+", of an unknown number: the response has no total",
			"clients that select totalCount or totalPages get an error; sums and files never say that they are complete")
		return
	}
	e.report.add(what, OK, fmt.Sprintf("%d of %s", len(page.Records), plural(int(page.Total), "record")), "")
}

// lookup requests a notification that does not exist: 404 with the scope, 403 without it.
func (e *examination) lookup(apis *client.Client) {
	const what = "look up a notification"
	if e.skips(what, upstream.Dispatcher) {
		return
	}
	_, err := e.session(apis).Notification(e.ctx, nonexistentID)
	switch kind := upstream.KindOf(err); {
	case err == nil:
		e.report.add(what, Fail, "a notification exists for a made-up id", "check dispatcher_url")
	case kind == upstream.KindNotFound:
		e.report.add(what, OK, "404 for a made-up id, as expected", "")
	case kind == upstream.KindForbidden && e.identity.ScopesKnown() && !e.identity.HasScope(scopeDispatcher):
		e.report.add(what, OK, "403, as expected without the scope", "")
	case kind == upstream.KindForbidden && !e.identity.ScopesKnown():
		e.report.add(what, Warn, "403: notifications will be FORBIDDEN for this token", "the spec requires the scope "+scopeDispatcher)
	default:
		e.failed(what, err)
	}
}
