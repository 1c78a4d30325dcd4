package doctor

import (
	"fmt"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// lists reads the default page of each list.
func (e *examination) lists(apis *client.Client) {
	if e.down[upstream.Core] {
		e.report.add("lists", Skipped, "the core API did not respond correctly, see above", "")
		return
	}
	deposits, err := e.session(apis).Deposits(e.ctx, nil, client.PageRequest{})
	if err != nil {
		e.down[upstream.Core] = true
		e.listed("list deposits", 0, 0, err)
	} else {
		e.listed("list deposits", deposits.Total, len(deposits.Records), nil)
	}
	withdrawals, err := e.session(apis).Withdrawals(e.ctx, nil, client.PageRequest{})
	if err != nil {
		e.listed("list withdrawals", 0, 0, err)
	} else {
		e.listed("list withdrawals", withdrawals.Total, len(withdrawals.Records), nil)
	}
}

func (e *examination) listed(what string, total int64, here int, err error) {
	if err != nil {
		e.report.add(what, Fail, err.Error(), e.remedy(err))
		return
	}
	e.report.add(what, OK, fmt.Sprintf("%d of %s", here, plural(int(total), "record")), "")
}

// lookup requests a notification that does not exist: 404 with the scope, 403 without it.
func (e *examination) lookup(apis *client.Client) {
	const what = "look up a notification"
	if e.down[upstream.Dispatcher] {
		e.report.add(what, Skipped, "the dispatcher did not respond correctly, see above", "")
		return
	}
	_, err := e.session(apis).Notification(e.ctx, nonexistentID)
	switch kind := upstream.KindOf(err); {
	case err == nil:
		e.report.add(what, Fail, "a notification exists for a made-up id", "check dispatcher_url")
	case kind == upstream.KindNotFound:
		e.report.add(what, OK, "404 for a made-up id, as expected", "")
	case kind == upstream.KindForbidden && e.scopes && !e.identity.HasScope(scopeDispatcher):
		e.report.add(what, OK, "403, as expected without the scope", "")
	case kind == upstream.KindForbidden && !e.scopes:
		e.report.add(what, Warn, "403: notifications will be FORBIDDEN for this token", "the spec requires the scope "+scopeDispatcher)
	default:
		e.report.add(what, Fail, err.Error(), e.remedy(err))
	}
}
