package graph

import (
	"context"
	"fmt"

	"github.com/graph-gophers/dataloader/v7"

	"pixgraph/graph/apierror"
	"pixgraph/graph/generated"
	"pixgraph/upstream"
)

// The dispatcher cannot list the notifications of a transaction; it can only return one by its id. So the gateway tries
// candidate ids from several sources in order. It reads each notification with the caller's token, and accepts it only
// if the notification itself refers to the transaction.

// linkSource supplies candidate ids of a transaction's notifications.
type linkSource interface {
	name() generated.LinkSource
	ids(*upstream.Transaction) []string
}

// argumentSource is the ids that the caller passed.
type argumentSource []string

func (a argumentSource) name() generated.LinkSource { return generated.LinkSourceArgument }

func (a argumentSource) ids(*upstream.Transaction) []string { return a }

// metadataSource is a JSON pointer into the transaction's free-form metadata.
type metadataSource struct{ pointer upstream.Pointer }

func (m metadataSource) name() generated.LinkSource { return generated.LinkSourceMetadata }

func (m metadataSource) ids(transaction *upstream.Transaction) []string {
	value, err := transaction.Metadata()
	if err != nil {
		return nil // invalid metadata has no ids; the field metadata reports the error
	}
	return m.pointer.Strings(value)
}

// linkNotifications finds the notifications of a transaction. An error with one id affects only its link.
func linkNotifications(
	ctx context.Context, transaction *upstream.Transaction, sources []linkSource,
) (*generated.TransactionNotifications, error) {
	id, err := transaction.ID()
	if err != nil {
		return nil, err
	}
	links := candidates(transaction, sources)
	notifications := loaderOf[upstream.Notification](ctx)
	waiting := make([]dataloader.Thunk[*upstream.Notification], len(links))
	for i, link := range links {
		waiting[i] = notifications.start(ctx, link.NotificationID, currentPath(ctx))
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

// candidates collects the distinct candidate ids in the order of their sources, MaxIDs at most.
func candidates(transaction *upstream.Transaction, sources []linkSource) []*generated.NotificationLink {
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
		var referenceID upstream.Text
		if referenceID, err = notification.ReferenceID(); err == nil && !referenceID.Equal(id.String()) {
			return generated.LinkStateMismatch
		}
	}
	if err == nil {
		return generated.LinkStateVerified
	}
	switch upstream.KindOf(err) {
	case upstream.KindNotFound, upstream.KindInvalidInput: // no notification can have an invalid id
		return generated.LinkStateNotFound
	case upstream.KindForbidden:
		return generated.LinkStateForbidden
	default:
		return generated.LinkStateUnavailable
	}
}

// checkIDs validates the ids that the caller passed, before any call.
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
