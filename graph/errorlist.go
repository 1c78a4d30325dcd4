package graph

import (
	"context"
	"errors"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/internal/quota"
)

// ErrorList is the errors of one response, as they are raised. Bound: each takes raisedBytes of the memory that its request
// may hold; one more is dropped. The fields of the operation fill it, and it ends with the response.
type ErrorList struct {
	mu      sync.Mutex
	opened  bool // whether errors are collected
	account *quota.Account
	errors  []RaisedError
	dropped bool
}

// RaisedError is an error with its path, and the field that it was raised in; nil for the operation as a whole.
type RaisedError struct {
	Err   *gqlerror.Error
	Field *graphql.FieldContext
}

// raisedBytes is about what an error takes, with its path and its causes.
const raisedBytes = 1 << 10

// Open begins to collect.
func (l *ErrorList) Open(account *quota.Account) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened, l.account = true, account
}

// Raise collects an error of the field in ctx; false before Open and after Close.
func (l *ErrorList) Raise(ctx context.Context, err error) bool {
	raised := RaisedError{Field: graphql.GetFieldContext(ctx)}
	if !errors.As(err, &raised.Err) {
		raised.Err = gqlerror.WrapPath(graphql.GetPath(ctx), err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.opened {
		return false
	}
	if l.dropped = l.dropped || l.account.Take(raisedBytes) != nil; !l.dropped {
		l.errors = append(l.errors, raised)
	}
	return true
}

// Close ends collecting, and returns what was raised, in any order. It is called when no field runs any more.
func (l *ErrorList) Close() (errors []RaisedError, dropped bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	errors, l.opened, l.errors = l.errors, false, nil
	return errors, l.dropped
}
