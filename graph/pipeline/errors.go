package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph"
	"pixgraph/graph/limits"
	"pixgraph/graph/paging"
	"pixgraph/graph/persisted"
	"pixgraph/graph/scalar"
	"pixgraph/graph/transport"
	"pixgraph/internal/quota"
	"pixgraph/upstream"
)

// The codes of extensions.code. docs/errors.md says what a client does about each.
const (
	codeUnauthenticated   = "UNAUTHENTICATED"
	codeForbidden         = "FORBIDDEN"
	codeNotFound          = "NOT_FOUND"
	codeBadUserInput      = "BAD_USER_INPUT"
	codeRateLimited       = "RATE_LIMITED"
	codeUpstreamError     = "UPSTREAM_ERROR"
	codeUnavailable       = "UPSTREAM_UNAVAILABLE"
	codeTimeout           = "UPSTREAM_TIMEOUT"
	codeInvalidResponse   = "UPSTREAM_INVALID_RESPONSE"
	codePagingUnsupported = "PAGINATION_UNSUPPORTED"
	codeLimitExceeded     = "LIMIT_EXCEEDED"
	codeOverloaded        = transport.CodeOverloaded
	codeInternal          = "INTERNAL"
)

// dispatcherScope is the one scope that the spec names (section 5).
const dispatcherScope = "get_dispatcher"

// outcome is how an upstream failure is told to a client. The message has one %s, the service.
type outcome struct {
	code      string
	retryable bool
	message   string
}

// outcomes is the one table from the kind of an upstream error to its code.
var outcomes = map[upstream.Kind]outcome{
	upstream.KindCanceled:           {codeUnavailable, true, "the call to the %s API was canceled"},
	upstream.KindUnauthenticated:    {codeUnauthenticated, false, "the %s API refused the token"},
	upstream.KindForbidden:          {codeForbidden, false, "the %s API does not permit this to the token"},
	upstream.KindNotFound:           {codeNotFound, false, "the %s API has no record of this id"},
	upstream.KindInvalidInput:       {codeBadUserInput, false, "the %s API refused the input"},
	upstream.KindRateLimited:        {codeRateLimited, true, "the %s API was called too often"},
	upstream.KindServerError:        {codeUpstreamError, true, "the %s API failed"},
	upstream.KindUnavailable:        {codeUnavailable, true, "the %s API cannot be reached"},
	upstream.KindTimeout:            {codeTimeout, true, "the %s API did not answer in time"},
	upstream.KindInvalidResponse:    {codeInvalidResponse, false, "the %s API sent something that it should not"},
	upstream.KindOverloaded:         {codeOverloaded, true, "the gateway cannot read from the %s API at the moment"},
	upstream.KindPagingNotSupported: {codePagingUnsupported, false, "the %s API did not answer the page that was asked for"},
}

// presenter turns every error into what a client may see. Nothing that an API sent is in it, nor a URL or a stack.
type presenter struct {
	log       *slog.Logger
	counts    *counters
	maxErrors int // of an answer
}

// present implements graphql.ErrorPresenterFunc. The errors of a response are collected: sortErrors shows those that stay.
func (p presenter) present(ctx context.Context, err error) *gqlerror.Error {
	if graph.RequestOf(ctx).Errors.Raise(ctx, err) {
		return nil
	}
	return p.show(ctx, graphql.GetFieldContext(ctx), err)
}

// show makes the public form of an error. It holds for every context and error that gqlgen can give it: gqlgen calls the
// presenter while it recovers from a panic, where a second one would end the process.
func (p presenter) show(ctx context.Context, field *graphql.FieldContext, err error) (shown *gqlerror.Error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			shown = &gqlerror.Error{Message: "internal error", Extensions: extensions(codeInternal, false)}
			_ = p.recover(ctx, panicked)
		}
		if id := graph.RequestOf(ctx).ID; id != "" {
			shown.Extensions["requestId"] = id // every case below sets extensions
		}
	}()
	shown = &gqlerror.Error{Path: graphql.GetPath(ctx)}
	var located *gqlerror.Error
	if errors.As(err, &located) {
		shown.Path, shown.Locations = located.Path, located.Locations
	}
	var failed *upstream.Error
	switch {
	case p.exceeded(shown, err):
	case errors.As(err, &failed) && failed.Kind != upstream.KindInternal:
		graph.RequestOf(ctx).Failures.Note(failed)
		p.upstream(shown, failed)
	case p.input(field, shown, err), p.refused(shown, err):
	case isIntrospection(field):
		shown.Message, shown.Extensions = "introspection is turned off", extensions(codeForbidden, false)
	case located != nil && isRequestError(located):
		shown.Message, shown.Rule = located.Message, located.Rule
		shown.Extensions = extensions(fmt.Sprint(located.Extensions["code"]), false)
	default:
		if !errors.Is(err, errPanic) {
			p.log.ErrorContext(ctx, "internal error", "requestId", graph.RequestOf(ctx).ID, "error", err.Error())
		}
		shown.Message = "internal error"
		shown.Extensions = extensions(codeInternal, false)
	}
	return shown
}

// exceeded reports that a request read, wrote or holds too much; false when that is not what err is about.
func (p presenter) exceeded(shown *gqlerror.Error, err error) bool {
	var over *quota.Exceeded
	switch {
	case errors.As(err, &over):
		p.counts.limitHit(over.Limit)
		shown.Message, shown.Extensions = over.Error(), extensions(codeLimitExceeded, false)
		shown.Extensions["limit"], shown.Extensions["value"] = over.Limit, over.Max
	case errors.Is(err, quota.ErrExhausted):
		shown.Err = quota.ErrExhausted // for the status of an answer that has nothing else
		shown.Message, shown.Extensions = quota.ErrExhausted.Error()+": try again later", extensions(codeOverloaded, true)
		shown.Extensions["retryAfterMs"] = retryAfterOverload.Milliseconds()
	default:
		return false
	}
	return true
}

// retryAfterOverload is when to try again what found no place or no memory: operations end within a fraction of that when
// all is well.
const retryAfterOverload = time.Second

// input tells what is wrong with an argument; false when that is not what err is about.
func (p presenter) input(field *graphql.FieldContext, shown *gqlerror.Error, err error) bool {
	var (
		argument *paging.ArgumentError
		input    *scalar.InputError
	)
	switch {
	case errors.As(err, &argument):
		shown.Message = argument.Error()
		shown.Extensions = extensions(codeBadUserInput, false)
		shown.Extensions["input"] = argument.Argument
	case errors.As(err, &input):
		path := inputPath(field, shown)
		shown.Message = path + " " + input.Error()
		shown.Extensions = extensions(codeBadUserInput, false)
		shown.Extensions["input"] = path
	default:
		return false
	}
	return true
}

// refused tells why a request, or one field of it, was not even tried; false when that is not what err is about.
func (p presenter) refused(shown *gqlerror.Error, err error) bool {
	var (
		scope    *graph.ScopeError
		request  *transport.Error
		document *persisted.Error
		exceeded *limits.Exceeded
		rate     *limits.RateLimited
	)
	switch {
	case errors.As(err, &scope):
		shown.Extensions = extensions(codeForbidden, false)
		shown.Extensions["service"] = upstream.Dispatcher
		shown.Extensions["requiredScope"] = scope.Required
		shown.Message = scope.Error()
	case errors.As(err, &request):
		if request.Code == transport.CodeInternal {
			p.log.Error("internal error", "error", request.Error())
		}
		p.counts.limitHit(request.Limit)
		shown.Message, shown.Extensions = request.Message, request.Extensions()
	case errors.As(err, &document):
		shown.Message, shown.Extensions = document.Error(), extensions(document.Code, false)
	case errors.As(err, &exceeded):
		p.counts.limitHit(exceeded.Limit)
		shown.Message, shown.Extensions = exceeded.Error(), extensions(codeLimitExceeded, false)
		shown.Extensions["limit"], shown.Extensions["value"] = exceeded.Limit, exceeded.Max
	case errors.As(err, &rate):
		p.counts.limitHit(limitRate)
		shown.Message, shown.Extensions = rate.Error(), extensions(codeRateLimited, true)
		shown.Extensions["retryAfterMs"] = max(rate.RetryAfter, time.Millisecond).Milliseconds()
	default:
		return false
	}
	return true
}

func extensions(code string, retryable bool) map[string]any {
	return map[string]any{"code": code, "retryable": retryable}
}

func (p presenter) upstream(shown *gqlerror.Error, failed *upstream.Error) {
	told, ok := outcomes[failed.Kind]
	if !ok {
		told = outcome{codeInternal, false, "the %s API could not be read"}
	}
	shown.Message = fmt.Sprintf(told.message, failed.Service)
	shown.Extensions = extensions(told.code, told.retryable)
	shown.Extensions["service"] = failed.Service
	if failed.Status != 0 {
		shown.Extensions["upstreamStatus"] = failed.Status
	}
	if failed.RetryAfter > 0 {
		shown.Extensions["retryAfterMs"] = failed.RetryAfter.Milliseconds()
	}
	if failed.Kind == upstream.KindForbidden && failed.Service == upstream.Dispatcher {
		shown.Extensions["requiredScope"] = dispatcherScope
	}
	var (
		refused       *upstream.InvalidInputError
		notConfigured *upstream.NotConfiguredError
		pageSize      *upstream.PageSizeError
	)
	if errors.As(failed, &pageSize) {
		shown.Extensions["perPage"] = pageSize.Used
	}
	switch {
	case errors.As(failed, &refused):
		shown.Message = refused.Error()
		shown.Extensions["input"] = refused.Violations[0].Field
	case errors.As(failed, &notConfigured):
		shown.Message = notConfigured.Error()
		shown.Extensions["missingSettings"] = notConfigured.Settings
	case failed.Kind == upstream.KindInvalidResponse && failed.Status == 0 && failed.Err != nil,
		failed.Kind == upstream.KindPagingNotSupported && failed.Err != nil:
		shown.Message += ": " + innermost(failed).Error() // names of fields and page numbers, never content
	}
}

// innermost is the cause behind the last of our own errors in the chain.
func innermost(failed *upstream.Error) error {
	for {
		var inner *upstream.Error
		if !errors.As(failed.Err, &inner) || inner.Err == nil {
			return failed.Err
		}
		failed = inner
	}
}

// inputPath splits the path of an error in an argument: the response path stays the error's, the rest is returned.
func inputPath(field *graphql.FieldContext, shown *gqlerror.Error) string {
	if field == nil {
		return shown.Path.String()
	}
	at := len(field.Path())
	if at > len(shown.Path) {
		at = len(shown.Path)
	}
	input := shown.Path[at:]
	shown.Path = shown.Path[:at]
	return input.String()
}

// isRequestError reports whether the document or its variables are at fault, which gqlgen and gqlparser found out.
func isRequestError(err *gqlerror.Error) bool {
	code, _ := err.Extensions["code"].(string)
	return code == errcode.ParseFailed || code == errcode.ValidationFailed
}

// isIntrospection reports whether an error is about a field that leads into the schema: gqlgen has one for it, when it is
// turned off.
func isIntrospection(field *graphql.FieldContext) bool {
	// The context of a list's element is one without a field.
	return field != nil && field.Field.Field != nil && (field.Field.Name == "__schema" || field.Field.Name == "__type")
}

// errPanic stands for a panic, which was logged where it was caught.
var errPanic = errors.New("panic")

// recover turns a panic into an error that show masks. The value of the panic is not logged, only its type: it may hold what
// an API sent. Goroutines of the operation may go on after it, so that the memory of the operation is not used again.
func (p presenter) recover(ctx context.Context, panicked any) error {
	graph.RequestOf(ctx).Abandon()
	p.log.ErrorContext(ctx, "panic", "requestId", graph.RequestOf(ctx).ID, "type", fmt.Sprintf("%T", panicked), "stack", string(debug.Stack()))
	return errPanic
}
