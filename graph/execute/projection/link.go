package projection

import (
	"context"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/internal/quota"
	"pixgraph/upstream"
)

// following is the links that a writer follows. All links of a value, those of its lists and of the records that other
// links lead to included, are followed before the value is written, so that their calls run at the same time.
type following struct {
	ctx     context.Context
	mu      sync.Mutex
	started map[link][]Wait // that are not written; a list may have the same record twice
	waits   []Wait          // all; the cost of the operation bounds their number
	running sync.WaitGroup  // of ahead
}

// link is a link of a record.
type link struct {
	field *field
	from  upstream.Raw
}

// leadValue follows the links within a value that the gateway makes, at a path.
func (w *writer) leadValue(s *selection, value any, at ast.Path) {
	if !s.leads {
		return
	}
	switch value := value.(type) {
	case upstream.Raw:
		w.leadRecord(s.record, value, at)
	case Object:
		for i := range s.parts {
			if p := &s.parts[i]; p.sub != nil && p.sub.leads {
				if found, err := value.Field(p.name); err == nil {
					w.leadValue(p.sub, found, with(at, ast.PathName(p.alias)))
				}
			}
		}
	case Objects:
		for i := range value.Len() {
			w.leadValue(s, value.Object(i), with(at, ast.PathIndex(i)))
		}
	case Records:
		for i := range value.Len() {
			if raw, err := value.Raw(i); err == nil && raw.Value.Exists() {
				w.leadRecord(s.record, raw, with(at, ast.PathIndex(i)))
			}
		}
	}
}

// leadRecord follows the links of a record at a path.
func (w *writer) leadRecord(o *object, raw upstream.Raw, at ast.Path) {
	for _, i := range o.links {
		f := &o.fields[i]
		wait := w.follow(f, raw, at)
		w.links.mu.Lock()
		w.links.started[link{f, raw}] = append(w.links.started[link{f, raw}], wait)
		w.links.mu.Unlock()
	}
}

// follow follows a link of a record at a path.
func (w *writer) follow(f *field, raw upstream.Raw, at ast.Path) Wait {
	path := func() ast.Path { return with(at, ast.PathName(f.alias)) }
	wait := f.follow(w.links.ctx, raw, path)
	if f.ahead && w.account.Take(quota.Goroutine) == nil {
		wait = w.goAhead(f, wait, path())
	}
	w.links.mu.Lock()
	defer w.links.mu.Unlock()
	w.links.waits = append(w.links.waits, wait)
	return wait
}

// goAhead waits for what a link at a path leads to and follows the links in it, in a goroutine: the other links of the
// response do not wait for it.
func (w *writer) goAhead(f *field, wait Wait, at ast.Path) Wait {
	var found Found
	var err error
	done := make(chan struct{})
	w.links.running.Go(func() {
		defer close(done)
		defer w.account.Return(quota.Goroutine)
		defer func() {
			if panicked := recover(); panicked != nil {
				found, err = nil, graphql.GetOperationContext(w.links.ctx).Recover(w.links.ctx, panicked)
			}
		}()
		if found, err = wait(); err == nil && found != nil && f.linked.leads {
			found.lead(w, f.linked, at)
		}
	})
	return func() (Found, error) {
		<-done
		return found, err
	}
}

// take returns the wait of a link that leadRecord has followed.
func (w *writer) take(f *field, raw upstream.Raw) Wait {
	l := w.links
	l.mu.Lock()
	waits := l.started[link{f, raw}]
	if len(waits) > 0 {
		l.started[link{f, raw}] = waits[1:]
		l.mu.Unlock()
		return waits[0]
	}
	l.mu.Unlock()
	return w.follow(f, raw, w.fullPath()) // without memory to follow it ahead
}

// end waits for what was not written, because of an error or a limit: no call outlives its operation.
func (l *following) end() {
	l.running.Wait()
	for _, wait := range l.waits {
		_, _ = wait()
	}
}

// with returns a copy of a path with another step.
func with(path ast.Path, step ast.PathElement) ast.Path {
	return append(path[:len(path):len(path)], step)
}
