package doctor

import (
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// recent is how many deposits are looked up as transactions: the API has no list of transactions.
const recent = 5

// links checks whether links_metadata_pointer leads to ids of notifications in a recent transaction, and whether the
// first id is a notification of that transaction.
func (e *examination) links() Check {
	if e.Settings.LinksMetadataPointer == "" {
		return skipped("is not set: a transaction's notifications are only found through the argument ids, or after the same token has read them",
			"set it if the metadata of transactions contains those ids")
	}
	if e.down[upstream.Core] {
		return isDown(upstream.Core)
	}
	pointer, err := upstream.ParsePointer(e.Settings.LinksMetadataPointer)
	if err != nil {
		return failed(err.Error(), "")
	}
	page, err := e.session().Deposits(e.ctx, nil, client.PageRequest{})
	if err != nil {
		return e.failedCall(err)
	}
	seen := 0
	list := ids(page)
	for _, id := range list[:min(len(list), recent)] {
		transaction, err := e.session().Transaction(e.ctx, id)
		if kind := upstream.KindOf(err); err != nil && (kind == upstream.KindNotFound || kind == upstream.KindInvalidInput) {
			continue
		}
		if err != nil {
			return e.failedCall(err)
		}
		seen++
		metadata, err := transaction.Metadata()
		if err != nil {
			continue
		}
		if found, err := pointer.Strings(metadata); err == nil && len(found) > 0 {
			return e.follow(id, found)
		}
	}
	if seen == 0 {
		return skipped("no transaction to check: no transaction has the id of a recent deposit", "")
	}
	return warned("finds no ids in "+plural(seen, "recent transaction"), "check what the metadata of transactions contains")
}

// follow checks whether the first id is a notification of the transaction.
func (e *examination) follow(transaction string, found []string) Check {
	there := plural(len(found), "id") + " in a recent transaction"
	if e.identity.ScopesKnown() && !e.identity.HasScope(scopeDispatcher) || e.down[upstream.Dispatcher] {
		return passed(there)
	}
	notification, err := e.session().Notification(e.ctx, found[0])
	if err != nil {
		return warned(there+"; the first cannot be fetched: "+err.Error(), "check whether these are ids of notifications")
	}
	if reference, err := notification.ReferenceID(); err != nil || !reference.Equal(transaction) {
		return warned(there+"; the first is a notification of something else", "such links will be MISMATCH")
	}
	return passed(there + "; the first is a notification of it")
}
