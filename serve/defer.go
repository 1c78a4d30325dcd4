package serve

import (
	"context"
	"maps"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph"
	"pixgraph/graph/apierror"
	"pixgraph/graph/execute/deferral"
	"pixgraph/graph/execute/projection"
	"pixgraph/internal/quota"
	"pixgraph/request"
	"pixgraph/serve/incremental"
)

// deferred returns the plan of an operation if fragments of it are deferred, and the client accepts parts.
func (g *Gateway) deferred(ctx context.Context, call *request.Call, operation *graphql.OperationContext) *deferral.Plan {
	response := incremental.Of(ctx)
	if response == nil {
		return nil
	}
	return g.planner.Plan(operation, response.Repeated, call.Account)
}

// sendParts executes an operation with deferred fragments and sends its response. It returns all errors, for the log.
// The operation keeps its slot until the last part has been executed, and its memory until it has been sent. All parts
// share the deadline of the operation.
func (g *Gateway) sendParts(ctx context.Context, execution *graph.Execution, operation *graphql.OperationContext) *graphql.Response {
	defer execution.Close()
	first := g.run(ctx, execution, operation)
	if len(first.Data) == 0 {
		return first
	}
	s := sender{gateway: g, execution: execution, operation: operation, response: incremental.Of(ctx)}
	step := s.schedule.Begin(execution.Deferred, &execution.Captures, first.Data)
	if len(step.Pending) == 0 || clientLeft(ctx) {
		return first
	}
	return s.send(ctx, first, step)
}

// sender writes the parts of one response. The goroutine of the operation writes, another one schedules, and each part
// has a goroutine of its own. So a client that reads slowly does not delay the execution of parts.
type sender struct {
	gateway   *Gateway
	execution *graph.Execution
	operation *graphql.OperationContext
	response  *incremental.Response
	schedule  deferral.Schedule // of the scheduling goroutine
	results   chan result       // parts that have ended
	running   int
	steps     chan deferral.Step // what is to be written; closed at the end
	errs      gqlerror.List      // of all parts
}

// result is an executed part.
type result struct {
	part      *deferral.Part
	execution *graph.Execution
}

// send sends the first part and, as they are ready, the others.
func (s *sender) send(ctx context.Context, first *graphql.Response, step deferral.Step) *graphql.Response {
	parts, cancel := context.WithCancel(ctx)
	defer cancel()
	s.results, s.steps = make(chan result), make(chan deferral.Step)
	s.errs = append(s.errs, first.Errors...)
	extensions := first.Extensions
	s.execution.Turn.Pause() // while it waits for its client and for parts
	defer s.execution.Turn.Resume(ctx)
	go s.runParts(parts, cancel, step)
	err := s.response.Begin(first, &step)
	if s.gateway.Sent(ctx); err != nil {
		cancel()
	}
	isComplete := false
	for next := range s.steps {
		if isComplete = next.Last; isComplete {
			extensions = s.extensions(extensions)
		}
		if err == nil {
			err = s.response.Step(&next, extensions)
		}
		if err != nil {
			cancel()
		}
		for _, d := range next.Delivered {
			d.Release()
		}
	}
	if !isComplete {
		s.response.Break()
	}
	return &graphql.Response{Data: []byte("{}"), Errors: s.errs}
}

// runParts executes the parts of a step and of those that follow, and sends the steps to the goroutine that writes.
// While the client reads slowly, it merges steps. After the last step it cancels the parts that no fragment needs, and
// releases the slot of the operation, which then only waits for its client.
func (s *sender) runParts(ctx context.Context, cancel context.CancelFunc, step deferral.Step) {
	defer close(s.steps)
	defer func() {
		if panicked := recover(); panicked != nil {
			_ = s.gateway.present.recover(ctx, panicked)
		}
		for cancel(); s.running > 0; s.running-- {
			<-s.results
		}
	}()
	s.start(ctx, &step)
	for step = (deferral.Step{}); s.running > 0 || !step.IsEmpty(); {
		var written chan<- deferral.Step
		if !step.IsEmpty() {
			written = s.steps
		}
		select {
		case ended := <-s.results:
			s.running--
			s.execution.Add(ended.execution)
			s.errs = append(s.errs, ended.part.Errors...)
			s.schedule.End(ended.part, &ended.execution.Captures, &step)
			s.start(ctx, &step)
			if step.Last = s.schedule.Done(); step.Last {
				cancel()
				s.execution.Call.Slot.Release()
			}
		case written <- step:
			step = deferral.Step{}
		}
	}
}

// start executes the parts of a step.
func (s *sender) start(ctx context.Context, step *deferral.Step) {
	for _, part := range step.Start {
		s.running++
		ctx, execution := s.execution.NewPart(ctx)
		go s.runPart(ctx, execution, part)
	}
	step.Start = nil
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
	s.executePart(ctx, execution, part)
}

// executePart executes a part, with the errors of its own fields.
func (s *sender) executePart(ctx context.Context, execution *graph.Execution, part *deferral.Part) {
	g, account := s.gateway, execution.Account
	if err := account.Take(quota.Goroutine); err != nil {
		part.Errors = g.present.rejected(ctx, err).Errors
		return
	}
	defer account.Return(quota.Goroutine)
	ctx = graphql.WithResponseContext(ctx, g.presented, g.recovered)
	response := g.present.collect(ctx, execution, s.operation, func() (response *graphql.Response) {
		if part.Operation != nil {
			operation := projection.With(s.operation, part.Operation)
			ctx := graphql.WithOperationContext(ctx, operation)
			response, execution.Data = g.projector.Execute(ctx, operation, account, execution.Turn, execution.Deferred, &execution.Captures)
			return response
		}
		response, execution.Data = g.projector.ExecutePart(ctx, s.operation, account, execution.Turn, part, &execution.Captures)
		return response
	})
	part.Data, part.Errors, part.Release = response.Data, response.Errors, execution.Data.Release
}

// extensions returns the extensions of the last part, with all calls in the trace.
func (s *sender) extensions(first map[string]any) map[string]any {
	all := map[string]any{}
	maps.Copy(all, first)
	if collected := s.execution.Trace; collected != nil {
		all[traceExtension] = traceOf(collected)
	}
	return all
}
