package graph

import (
	"context"
	"errors"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/internal/quota"
)

// ErrorList collects the errors of one response. Bound: the account of the execution is charged raisedBytes for each
// error; when it is exhausted, the response fails as a whole. Filled by the fields of the operation. It is released
// with the response.
type ErrorList struct {
	mu      sync.Mutex
	opened  bool // whether it accepts errors
	account *quota.Account
	errors  []RaisedError
}

// RaisedError is an error with its path, and the field that raised it; the field is nil for an error of the operation.
type RaisedError struct {
	Err   *gqlerror.Error
	Field *graphql.FieldContext
}

// raisedBytes is the approximate memory of an error with its path and causes.
const raisedBytes = 1 << 10

// Open makes the list accept errors.
func (l *ErrorList) Open(account *quota.Account) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened, l.account = true, account
}

// Raise adds an error of the field in ctx. It returns false before Open and after Close.
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
	if l.account.Write(0, raisedBytes) {
		l.errors = append(l.errors, raised)
	}
	return true
}

// Close stops accepting errors and returns those that were raised, in any order. All fields must have returned.
func (l *ErrorList) Close() (errors []RaisedError) {
	l.mu.Lock()
	defer l.mu.Unlock()
	errors, l.opened, l.errors = l.errors, false, nil
	return errors
}
