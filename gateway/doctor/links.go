package doctor

import (
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// recent is how many deposits are looked up as transactions: the API has no list of transactions.
const recent = 5

// links checks whether links_metadata_pointer leads to ids of notifications in a recent transaction, and whether the
// first id is a notification of that transaction.
func (e *examination) links(apis *client.Client) {
	const what = "links_metadata_pointer"
	if e.Settings.LinksMetadataPointer == "" {
		e.report.add(what, Skipped, "is not set: a transaction's notifications are only found through the argument ids, or after the same token has read them",
			"set it if the metadata of transactions contains those ids")
		return
	}
	if e.skips(what, upstream.Core) {
		return
	}
	pointer, err := upstream.ParsePointer(e.Settings.LinksMetadataPointer)
	if err != nil {
		e.report.add(what, Fail, err.Error(), "")
		return
	}
	page, err := e.session(apis).Deposits(e.ctx, nil, client.PageRequest{})
	if err != nil {
		e.failed(what, err)
		return
	}
	seen := 0
	list := ids(page)
	for _, id := range list[:min(len(list), recent)] {
		transaction, err := e.session(apis).Transaction(e.ctx, id)
		if kind := upstream.KindOf(err); err != nil && (kind == upstream.KindNotFound || kind == upstream.KindInvalidInput) {
			continue
		}
		if err != nil {
			e.failed(what, err)
			return
		}
		seen++
		metadata, err := transaction.Metadata()
		if err != nil {
			continue
		}
		if found, err := pointer.Strings(metadata); err == nil && len(found) > 0 {
			e.follow(apis, id, found)
			return
		}
	}
	if seen == 0 {
		e.report.add(what, Skipped, "no transaction to check: no transaction has the id of a recent deposit", "")
		return
	}
	e.report.add(what, Warn, "finds no ids in "+plural(seen, "recent transaction"), "check what the metadata of transactions contains")
}

// follow checks whether the first id is a notification of the transaction.
func (e *examination) follow(apis *client.Client, transaction string, found []string) {
	const what = "links_metadata_pointer"
	there := plural(len(found), "id") + " in a recent transaction"
	if e.identity.ScopesKnown() && !e.identity.HasScope(scopeDispatcher) || e.down[upstream.Dispatcher] {
		e.report.add(what, OK, there, "")
		return
	}
	notification, err := e.session(apis).Notification(e.ctx, found[0])
	if err != nil {
		e.report.add(what, Warn, there+"; the first cannot be fetched: "+err.Error(), "check whether these are ids of notifications")
		return
	}
	if reference, err := notification.ReferenceID(); err != nil || !reference.Equal(transaction) {
		e.report.add(what, Warn, there+"; the first is a notification of something else", "such links will be MISMATCH")
		return
	}
	e.report.add(what, OK, there+"; the first is a notification of it", "")
}
