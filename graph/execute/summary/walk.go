package summary

import (
	"context"
	"math"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph/execute/paging"
	"pixgraph/internal/quota"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// Walk is a summary that several executions of its operation read, each some pages of the list, so that it may be
// longer than what one operation may read. Between them it holds the sums, the groups and what paging.Coverage holds,
// and no page. It is of one caller, and ends with its download.
type Walk struct {
	Account *quota.Account // of what it holds
	Whole   bool           // whether it reads the list to its end, whatever maxPages is
	Pages   int            // how many the next execution reads; 0 for none, which ends the walk
	Failed  paging.Reason  // why it ends early; "" if it does not

	// The state after an execution. An execution whose page fails is an error, and can be repeated: the pages before
	// that one are added.
	Read, Of int64         // pages; Of is 0 if the API does not count them
	Records  int64         // of these pages
	Total    int64         // records of the list; negative if the API does not count them
	Left     int           // pages that are not read, 1 if it is unknown how many; 0 at the end, when there are sums
	Reason   paging.Reason // why these are not those of the whole list; "" if they are

	reading any // a *reading, after the first execution
}

// operationWalk returns the walk of an operation that reads all pages itself.
func operationWalk(session *client.Session) *Walk {
	return &Walk{Account: session.Account, Pages: math.MaxInt32}
}

// advance reads the next pages of a walk. If a later page than the first cannot be read, a walk of one operation ends
// with the pages before, and with the error in the response.
func (r *reading[T]) advance(ctx context.Context, walk *Walk, ofOperation bool) error {
	pages := walk.Pages
	if r.PagesRead == 0 {
		if err := r.take(ctx, r.first(ctx)); err != nil {
			return err
		}
		pages--
	}
	last := min(r.limit, int(r.PagesRead)+pages)
	if r.pages > 0 {
		last = int(min(r.pages, int64(last)))
	}
	err := r.rest(ctx, last)
	if walk.Left = r.left(); walk.Failed != "" || ofOperation {
		walk.Left = 0
	}
	walk.Read, walk.Of, walk.Records, walk.Total = int64(r.PagesRead), r.pages, r.seen, r.covered.Total()
	switch {
	case walk.Failed != "":
		r.covered.Note(walk.Failed)
	case err != nil && ofOperation:
		reason := paging.PageFailed
		if upstream.KindOf(err) == upstream.KindPagingNotSupported {
			reason = paging.PagingUnknown
		}
		r.covered.Note(reason)
		graphql.AddError(ctx, err)
	case err != nil:
		return err
	case walk.Left == 0 && r.more:
		r.covered.Note(paging.PageLimit)
	}
	return nil
}

// left returns how many pages are to be read.
func (r *reading[T]) left() int {
	if !r.more {
		return 0
	}
	return min(r.limit-int(r.PagesRead), int(max(1, r.pages-int64(r.PagesRead))))
}
