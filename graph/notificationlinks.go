package graph

import (
	"context"
	"fmt"

	"github.com/graph-gophers/dataloader/v7"

	"pixgraph/graph/apierror"
	"pixgraph/graph/generated"
	"pixgraph/upstream"
)

// The dispatcher cannot list the notifications of a transaction: it can only be asked for one by its id. So ids are
// hints, from sources that are asked in order, and each notification is read with the caller's own token and belongs to
// the transaction only when it says so itself.

// linkSource is a place where the ids of a transaction's notifications may be found.
type linkSource interface {
	name() generated.LinkSource
	ids(*upstream.Transaction) []string
}

// argumentSource is the ids that the caller knows of.
type argumentSource []string

func (a argumentSource) name() generated.LinkSource { return generated.LinkSourceArgument }

func (a argumentSource) ids(*upstream.Transaction) []string { return a }

// metadataSource is a place in the transaction's free-form metadata.
type metadataSource struct{ pointer upstream.Pointer }

func (m metadataSource) name() generated.LinkSource { return generated.LinkSourceMetadata }

func (m metadataSource) ids(transaction *upstream.Transaction) []string {
	value, err := transaction.Metadata()
	if err != nil {
		return nil // metadata that cannot be read holds no hint; the field metadata itself tells what is wrong
	}
	return m.pointer.Strings(value)
}

// linkNotifications finds the notifications of a transaction. What goes wrong with one id marks that link only.
func linkNotifications(
	ctx context.Context, transaction *upstream.Transaction, sources []linkSource,
) (*generated.TransactionNotifications, error) {
	id, err := transaction.ID()
	if err != nil {
		return nil, err
	}
	links := hints(transaction, sources)
	notifications := loaderOf[upstream.Notification](ctx)
	waiting := make([]dataloader.Thunk[*upstream.Notification], len(links))
	for i, link := range links {
		waiting[i] = notifications.start(ctx, link.NotificationID, here(ctx))
	}
	found := &generated.TransactionNotifications{Nodes: []*upstream.Notification{}, Links: links}
	for i, link := range links {
		notification, err := waiting[i]()
		if err != nil {
			RequestOf(ctx).Failures.Note(err)
		}
		link.State = linkState(notification, err, id)
		if link.State == generated.LinkStateVerified {
			link.Notification = notification
			found.Nodes = append(found.Nodes, notification)
		}
	}
	return found, nil
}

// hints collects the ids to try, in the order of their sources, each once, MaxIDs at most.
func hints(transaction *upstream.Transaction, sources []linkSource) []*generated.NotificationLink {
	links := []*generated.NotificationLink{}
	seen := map[string]bool{}
	for _, source := range sources {
		for _, id := range source.ids(transaction) {
			if seen[id] || len(links) == MaxIDs {
				continue
			}
			seen[id] = true
			links = append(links, &generated.NotificationLink{NotificationID: id, Source: source.name()})
		}
	}
	return links
}

func linkState(notification *upstream.Notification, err error, id upstream.Text) generated.LinkState {
	if err == nil {
		var reference upstream.Text
		if reference, err = notification.ReferenceID(); err == nil && !reference.Equal(id.String()) {
			return generated.LinkStateMismatch
		}
	}
	if err == nil {
		return generated.LinkStateVerified
	}
	switch upstream.KindOf(err) {
	case upstream.KindNotFound, upstream.KindInvalidInput: // an id that cannot be one leads nowhere either
		return generated.LinkStateNotFound
	case upstream.KindForbidden:
		return generated.LinkStateForbidden
	default:
		return generated.LinkStateUnavailable
	}
}

// checkIDs holds the caller's ids to their rules before any is tried.
func checkIDs(ids []string) error {
	if len(ids) > MaxIDs {
		return apierror.Input("ids", fmt.Sprintf("must hold %d ids at most", MaxIDs))
	}
	for i, id := range ids {
		if !upstream.ValidNotificationID(id) {
			return apierror.Input(fmt.Sprintf("ids.%d", i), "must be a notification id")
		}
	}
	return nil
}
