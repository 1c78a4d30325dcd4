package deferral

import (
	"slices"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Schedule keeps the order of the parts of one response: which of them may be executed, and which fragments are
// complete. One goroutine uses it.
type Schedule struct {
	fragments map[fragmentKey]*Fragment
	announced int // fragments
	open      int // of them, those that are not complete
}

// fragmentKey identifies a fragment in a response.
type fragmentKey struct {
	usage *deferUsage
	path  string
}

// Fragment is a deferred fragment of one object of the response.
type Fragment struct {
	ID     string // "" before it is announced
	Label  *string
	Path   ast.Path
	Errors gqlerror.List // why the fragment has no data
	Failed bool

	parts    []*Part
	waiting  int         // parts that have not ended
	children []*Fragment // fragments within it
	complete bool
}

// Whole returns the data and the errors of a complete fragment. Only for a plan with repeated fields, in which a
// fragment has exactly one part.
func (f *Fragment) Whole() ([]byte, gqlerror.List) {
	if f.Failed {
		return []byte("null"), f.Errors
	}
	return f.parts[0].Data, f.parts[0].Errors
}

// Part is the fields of one object that belong to the same deferred fragments.
type Part struct {
	Path      ast.Path
	Value     any                      // of the Capture; nil for the root
	Group     int                      // the index in the Groups of its object
	Operation *ast.OperationDefinition // of the root; nil for another object

	// The result. Data is null if a field that cannot be null failed.
	Data    []byte
	Release func() // releases the memory of the data
	Errors  gqlerror.List

	fragments []*Fragment
	started   bool
	delivered bool
}

// Step is what changes when parts have ended.
type Step struct {
	Start     []*Part     // parts to execute
	Pending   []*Fragment // fragments to announce
	Delivered []Delivery  // the data of complete fragments that was not delivered before
	Completed []*Fragment
	Last      bool // whether no fragment is left
}

// IsEmpty reports whether a step has nothing for the client: other parts of the same fragments have not ended.
func (s *Step) IsEmpty() bool { return len(s.Pending)+len(s.Delivered)+len(s.Completed) == 0 }

// Delivery is a part, and the fragment to deliver it with.
type Delivery struct {
	*Part
	Fragment *Fragment
}

// Begin returns what follows the initial response. Without a pending fragment, that response is complete.
func (s *Schedule) Begin(plan *Plan, captured *Captures, data []byte) (step Step) {
	s.fragments = map[fragmentKey]*Fragment{}
	captures := captured.take()
	switch {
	case isNull(data):
		captures = nil
	case plan.root != nil:
		captures = append([]Capture{{Object: plan.root}}, captures...)
	}
	for _, root := range s.add(captures, &step) {
		s.announce(root, &step)
	}
	return step
}

// End adds a part that has ended to a step, with the objects in it that have deferred fragments.
func (s *Schedule) End(p *Part, captured *Captures, step *Step) {
	failed := isNull(p.Data)
	if !failed {
		s.add(captured.take(), step)
	}
	for _, f := range p.fragments {
		if f.waiting--; f.complete {
			continue
		}
		if failed {
			f.Failed, f.Errors = true, p.Errors
		}
		s.settle(f, step)
	}
}

// isNull reports whether an object is null, or was not executed.
func isNull(data []byte) bool { return len(data) == 0 || string(data) == "null" }

// Done reports whether all fragments are complete.
func (s *Schedule) Done() bool { return s.open == 0 }

// add adds the fragments and the parts of objects. It returns the fragments that are within no other one.
func (s *Schedule) add(captures []Capture, step *Step) (roots []*Fragment) {
	for _, c := range captures {
		for _, u := range c.Object.usages {
			f := &Fragment{Label: u.label, Path: c.Path}
			s.fragments[fragmentKey{u, c.Path.String()}] = f
			if u.parent == nil {
				roots = append(roots, f)
			} else if parent := s.ancestor(u.parent, c.Path); parent != nil {
				parent.children = append(parent.children, f)
			}
		}
		for i, g := range c.Object.Groups {
			p := &Part{Path: c.Path, Value: c.Value, Group: i, Operation: g.operation, Release: func() {}}
			for _, u := range g.usages {
				if f := s.ancestor(u, c.Path); f != nil && !f.complete {
					p.fragments, f.parts = append(p.fragments, f), append(f.parts, p)
					f.waiting++
					s.start(f, step)
				}
			}
		}
	}
	return roots
}

// ancestor returns the fragment of a usage whose object is on a path.
func (s *Schedule) ancestor(u *deferUsage, path ast.Path) *Fragment {
	return s.fragments[fragmentKey{u, path[:u.depth].String()}]
}

// announce adds a fragment to Step.Pending. A fragment without undelivered parts is skipped, and the fragments in it
// are announced: all its fields are in a null, or were delivered with other fragments.
func (s *Schedule) announce(f *Fragment, step *Step) {
	if !f.Failed && !slices.ContainsFunc(f.parts, func(p *Part) bool { return !p.delivered }) {
		for _, child := range f.children {
			s.announce(child, step)
		}
		return
	}
	f.ID = strconv.Itoa(s.announced)
	s.announced++
	s.open++
	step.Pending = append(step.Pending, f)
	s.start(f, step)
	s.settle(f, step)
}

// start starts the parts of an announced fragment.
func (s *Schedule) start(f *Fragment, step *Step) {
	for _, p := range f.parts {
		if f.ID != "" && !p.started {
			p.started = true
			step.Start = append(step.Start, p)
		}
	}
}

// settle completes an announced fragment if all of its parts have ended, or one has failed.
func (s *Schedule) settle(f *Fragment, step *Step) {
	if f.ID == "" || f.waiting > 0 && !f.Failed {
		return
	}
	f.complete = true
	s.open--
	step.Completed = append(step.Completed, f)
	if f.Failed {
		return
	}
	for _, p := range f.parts {
		if !p.delivered {
			p.delivered = true
			step.Delivered = append(step.Delivered, Delivery{p, p.nearest(f)})
		}
	}
	for _, child := range f.children {
		s.announce(child, step)
	}
}

// nearest returns the fragment of a part with the longest path: the one that is being completed, or one that is
// announced and not complete.
func (p *Part) nearest(completing *Fragment) *Fragment {
	found := completing
	for _, f := range p.fragments {
		if f.ID != "" && !f.complete && len(f.Path) > len(found.Path) {
			found = f
		}
	}
	return found
}
