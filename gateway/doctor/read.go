package doctor

import (
	"fmt"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// lists reads the default page of each list.
func (e *examination) lists() Check {
	deposits, err := e.session().Deposits(e.ctx, nil, client.PageRequest{})
	e.down[upstream.Core] = err != nil
	e.report.add("list deposits", listed(e, deposits, err))
	withdrawals, err := e.session().Withdrawals(e.ctx, nil, client.PageRequest{})
	e.report.add("list withdrawals", listed(e, withdrawals, err))
	return Check{}
}

func listed[R upstream.Resource](e *examination, page *upstream.Page[R], err error) Check {
	if err != nil {
		return e.failedCall(err)
	}
	if page.Total == upstream.Uncounted {
		return warned(plural(len(page.Records), "record")+", of an unknown number: the response has no total",
			"clients that select totalCount or totalPages get an error; sums and files never say that they are complete")
	}
	return passed(fmt.Sprintf("%d of %s", len(page.Records), plural(int(page.Total), "record")))
}

// lookup requests a notification that does not exist: 404 with the scope, 403 without it.
func (e *examination) lookup() Check {
	_, err := e.session().Notification(e.ctx, nonexistentID)
	switch kind := upstream.KindOf(err); {
	case err == nil:
		return failed("a notification exists for a made-up id", "check dispatcher_url")
	case kind == upstream.KindNotFound:
		return passed("404 for a made-up id, as expected")
	case kind == upstream.KindForbidden && e.identity.ScopesKnown() && !e.identity.HasScope(scopeDispatcher):
		return passed("403, as expected without the scope")
	case kind == upstream.KindForbidden && !e.identity.ScopesKnown():
		return warned("403: notifications will be FORBIDDEN for this token", "the spec requires the scope "+scopeDispatcher)
	default:
		return e.failedCall(err)
	}
}
