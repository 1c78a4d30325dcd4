package graph

import (
	"context"
	"fmt"
	"slices"

	"github.com/graph-gophers/dataloader/v7"

	"pixgraph/graph/apierror"
	"pixgraph/graph/model"
	"pixgraph/upstream"
)

// The dispatcher cannot list the notifications of a transaction; it can only return one by its id. So the gateway tries
// candidate ids from several sources in order. It reads each notification with the caller's token, and accepts it only
// if the notification itself refers to the transaction.

// linkSource supplies candidate ids of a transaction's notifications.
type linkSource struct {
	name model.Source
	ids  func(context.Context, *upstream.Transaction) ([]string, error)
}

// argumentSource is the ids that the caller passed.
func argumentSource(ids []string) linkSource {
	return linkSource{model.Argument, func(context.Context, *upstream.Transaction) ([]string, error) { return ids, nil }}
}

// metadataSource is a JSON pointer into the transaction's free-form metadata.
func metadataSource(pointer upstream.Pointer) linkSource {
	return linkSource{model.Metadata, func(_ context.Context, transaction *upstream.Transaction) ([]string, error) {
		value, err := transaction.Metadata()
		if err != nil {
			return nil, err
		}
		ids, err := pointer.Strings(value)
		if err != nil {
			return nil, upstream.Broken(upstream.Core, "metadata", err)
		}
		return ids, nil
	}}
}

// learnedSource is the notifications that earlier operations with the same token have read.
var learnedSource = linkSource{model.Learned, func(ctx context.Context, transaction *upstream.Transaction) ([]string, error) {
	id, err := transaction.ID()
	if err != nil {
		return nil, err
	}
	e := ExecutionOf(ctx).ofOperation()
	return e.loaders.lookups.learned.ids(e.Call.Identity, id.String()), nil
}}

// linkNotifications finds the notifications of a transaction. What could not be read is a nil node with an error. If
// nothing could be read, or if nothing was tried because there is no source of ids, the result is an error: an empty
// list would claim that there are no notifications.
func linkNotifications(
	ctx context.Context, transaction *upstream.Transaction, sources []linkSource,
) (*model.Notifications, error) {
	id, err := transaction.ID()
	if err != nil {
		return nil, err
	}
	tried, failures := candidates(ctx, transaction, sources)
	notifications := loaderOf[upstream.Notification](ctx)
	waiting := make([]dataloader.Thunk[*upstream.Notification], len(tried))
	for i, link := range tried {
		waiting[i] = notifications.start(ctx, link.NotificationID, currentPath(ctx))
	}
	found := &model.Notifications{Nodes: []*upstream.Notification{}, Links: []*model.Link{}}
	answered := false // whether the result for an id is known
	for i, link := range tried {
		notification, err := waiting[i]()
		if link.State, err = linkState(notification, err, id); err != nil {
			ExecutionOf(ctx).Failures.Note(err)
			found.Add(nil, err)
		}
		isNew := false
		if link.State == model.Verified {
			link.Notification = notification
			if isNew = !slices.ContainsFunc(found.Nodes, sameID(notification)); isNew {
				found.Add(notification, nil)
			}
		}
		if link.Source == model.Learned && !isNew {
			continue
		}
		found.Links = append(found.Links, link)
		answered = answered || err == nil
	}
	for _, err := range failures {
		found.Add(nil, err)
	}
	switch {
	case !answered && len(found.Errors) > 0:
		return nil, failureOf(found.Errors)
	case len(found.Links) == 0 && !slices.ContainsFunc(sources, namesIDs):
		return nil, errLinksNotConfigured
	}
	return found, nil
}

// sameID returns a function that reports whether a node, or null, is the same record. The dispatcher may find a record
// by ids that differ in case.
func sameID(notification *upstream.Notification) func(*upstream.Notification) bool {
	id, err := notification.ID()
	return func(node *upstream.Notification) bool {
		if err != nil || node == nil {
			return false
		}
		other, err := node.ID()
		return err == nil && other.String() == id.String()
	}
}

// candidates collects the distinct candidate ids in the order of their sources, MaxIDs at most. The errors are those of
// sources that cannot be read, and one for more ids, unless these are only learned: nobody asked for them.
func candidates(
	ctx context.Context, transaction *upstream.Transaction, sources []linkSource,
) (tried []*model.Link, failures []error) {
	seen := map[string]bool{}
	for _, source := range sources {
		ids, err := source.ids(ctx, transaction)
		if err != nil {
			failures = append(failures, err)
		}
		for _, id := range ids {
			if seen[id] {
				continue
			}
			switch {
			case len(tried) < MaxIDs:
			case source.name == model.Learned:
				return tried, failures
			default:
				return tried, append(failures, errTooManyLinks)
			}
			seen[id] = true
			tried = append(tried, &model.Link{NotificationID: id, Source: source.name})
		}
	}
	return tried, failures
}

// namesIDs reports whether a source that has no ids says that no ids exist. The memory of the gateway says nothing, and
// neither does an argument that is not given.
func namesIDs(source linkSource) bool { return source.name == model.Metadata }

// linkState returns the result for one id, and an error if it is unknown whether the notification refers to the
// transaction.
func linkState(notification *upstream.Notification, err error, id upstream.Text) (model.State, error) {
	var referenceID upstream.Text
	if err == nil {
		referenceID, err = notification.ReferenceID()
	}
	switch {
	case err == nil && referenceID.Equal(id.String()):
		return model.Verified, nil
	case err == nil:
		return model.Mismatch, nil
	}
	switch upstream.KindOf(err) {
	case upstream.KindNotFound, upstream.KindInvalidInput: // no notification can have an invalid id
		return model.NotFound, nil
	case upstream.KindForbidden:
		return model.Forbidden, err
	default:
		return model.Unavailable, err
	}
}

// failureOf returns the error that stands for all: the first that a retry may resolve, or else the first.
func failureOf(failures []error) error {
	retryable := func(err error) bool { described := Describe(err); return described != nil && described.Retryable }
	return failures[max(slices.IndexFunc(failures, retryable), 0)]
}

// LimitLinks is the name of the limit on the ids that are tried for one transaction.
const LimitLinks = "notificationIds"

var errTooManyLinks = apierror.Exceeds(LimitLinks, MaxIDs, fmt.Sprintf("only the first %d notification ids of the transaction were tried", MaxIDs))

// errLinksNotConfigured reports that nothing is known about the notifications of a transaction.
var errLinksNotConfigured = &apierror.Error{
	Code:    apierror.LinksNotConfigured,
	Message: "no notification ids of the transaction are known: pass ids, or set links_metadata_pointer in the gateway",
	Input:   "ids", MissingSettings: []string{"links_metadata_pointer"},
}

// checkIDs validates the ids that the caller passed, before any call.
func checkIDs(ids []string) error {
	if len(ids) > MaxIDs {
		return apierror.Input("ids", fmt.Sprintf("must have at most %d ids", MaxIDs))
	}
	for i, id := range ids {
		if !upstream.ValidNotificationID(id) {
			return apierror.Input(fmt.Sprintf("ids.%d", i), "must be a notification id")
		}
	}
	return nil
}
