package pipeline

import (
	"bytes"
	"context"
	"maps"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph"
	"pixgraph/graph/apierror"
	"pixgraph/graph/execute/deferral"
	"pixgraph/graph/execute/projection"
	"pixgraph/graph/transport/incremental"
)

// deferred returns the plan of the operation in ctx if fragments of it are deferred, and the client accepts parts.
func (g *Gateway) deferred(ctx context.Context) *deferral.Plan {
	response := incremental.Of(ctx)
	if response == nil || g.config.WithoutDefer {
		return nil
	}
	return g.planner.Plan(graphql.GetOperationContext(ctx), response.Repeated, graph.CallOf(ctx).Account)
}

// sendParts is the response interceptor that sends the response of an operation with deferred fragments. It returns all
// errors, for the log. The operation has its place and its memory until the last part, and one deadline.
func (g *Gateway) sendParts(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	execution := graph.ExecutionOf(ctx)
	if execution.Deferred == nil {
		return next(ctx)
	}
	defer execution.Close()
	first := next(ctx)
	if first == nil || len(first.Data) == 0 {
		return first
	}
	s := sender{gateway: g, execution: execution, response: incremental.Of(ctx)}
	step := s.schedule.Begin(execution.Deferred, &execution.Captures, execution.Nulls)
	if len(step.Pending) == 0 || clientLeft(ctx) {
		return first
	}
	return s.send(ctx, first, step)
}

// sender sends the parts of one response. Its goroutine is that of the operation; each part that is executed has one of
// its own.
type sender struct {
	gateway   *Gateway
	execution *graph.Execution
	response  *incremental.Response
	schedule  deferral.Schedule
	results   chan result // of parts that have ended
	running   int
	errs      gqlerror.List // of all parts
}

// result is an executed part.
type result struct {
	part      *deferral.Part
	execution *graph.Execution
}

// send sends the first part and, as they are ready, the others.
func (s *sender) send(ctx context.Context, first *graphql.Response, step deferral.Step) *graphql.Response {
	parts, cancel := context.WithCancel(ctx)
	defer func() {
		for cancel(); s.running > 0; s.running-- {
			(<-s.results).part.Release()
		}
	}()
	s.results = make(chan result)
	extensions := maps.Clone(first.Extensions)
	s.errs = append(s.errs, first.Errors...)
	data, sent := dataOf(ctx, first)
	s.start(parts, &step)
	err := s.whileWriting(ctx, func() error { return s.response.Begin(first, data, &step) })
	sent()
	for err == nil && !s.schedule.Done() {
		step = s.next()
		s.start(parts, &step)
		last := s.schedule.Done()
		if last {
			extensions = s.extensions(ctx, extensions)
		} else if step.IsEmpty() {
			continue
		}
		err = s.whileWriting(ctx, func() error { return s.response.Step(&step, last, extensions) })
		for _, d := range step.Delivered {
			d.Release()
			d.Data = nil
		}
	}
	return &graphql.Response{Data: []byte("{}"), Errors: s.errs}
}

// whileWriting calls a function that may wait for the client.
func (s *sender) whileWriting(ctx context.Context, write func() error) error {
	s.execution.Turn.Pause()
	defer s.execution.Turn.Resume(ctx)
	return write()
}

// next waits for a part, and returns the step of all parts that have ended.
func (s *sender) next() (step deferral.Step) {
	for ended := <-s.results; ; {
		s.running--
		s.execution.Add(ended.execution)
		s.errs = append(s.errs, ended.part.Errors...)
		s.schedule.End(ended.part, &ended.execution.Captures, ended.execution.Nulls, &step)
		select {
		case ended = <-s.results:
		default:
			return step
		}
	}
}

// partBytes is the memory of a part that waits for its calls: a goroutine, its stack, contexts.
const partBytes = 12 << 10

// start executes the parts of a step.
func (s *sender) start(ctx context.Context, step *deferral.Step) {
	for _, part := range step.Start {
		s.running++
		ctx, execution := s.execution.NewPart(ctx)
		go s.runPart(ctx, execution, part)
	}
}

// runPart executes a part, and reports its end.
func (s *sender) runPart(ctx context.Context, execution *graph.Execution, part *deferral.Part) {
	defer func() {
		if panicked := recover(); panicked != nil {
			_ = s.gateway.present.recover(ctx, panicked)
			part.Data, part.Errors = nil, gqlerror.List{apierror.InternalError().Render(nil, execution.Call.ID)}
		}
		s.results <- result{part, execution}
	}()
	s.gateway.executePart(ctx, part)
}

// executePart executes a part, with the errors of its own fields.
func (g *Gateway) executePart(ctx context.Context, part *deferral.Part) {
	account := graph.CallOf(ctx).Account
	if err := account.Take(partBytes); err != nil {
		part.Errors = g.present.rejected(ctx, err).Errors
		return
	}
	defer account.Return(partBytes)
	ctx = graphql.WithResponseContext(ctx, g.present.present, g.present.recover)
	response := g.present.boundResponse(ctx, func(ctx context.Context) *graphql.Response {
		return g.present.sortErrors(ctx, func(ctx context.Context) *graphql.Response { return g.executable.part(ctx, part) })
	})
	part.Errors = response.Errors
	part.Data, part.Release = dataOf(ctx, response)
}

// part executes the selection of a part on its object.
func (s *projected) part(ctx context.Context, part *deferral.Part) *graphql.Response {
	if part.Operation != nil {
		ctx = graphql.WithOperationContext(ctx, projection.With(graphql.GetOperationContext(ctx), part.Operation))
		return s.run(ctx, graph.ExecutionOf(ctx))
	}
	var data bytes.Buffer
	s.schema.Execute(part.Context(ctx), part.Selection, part.Object).MarshalGQL(&data)
	return &graphql.Response{Data: data.Bytes()}
}

// extensions returns the extensions of the last part, with all calls in the trace.
func (s *sender) extensions(ctx context.Context, first map[string]any) map[string]any {
	all := map[string]any{}
	maps.Copy(all, first)
	maps.Copy(all, graphql.GetExtensions(ctx))
	if collected := s.execution.Trace; collected != nil {
		all[traceExtension] = traceOf(collected)
	}
	return all
}
