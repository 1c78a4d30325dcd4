package live

import "pixgraph/internal/quota"

// task is a watch to read, or a stream to send to.
type task interface{ run(*Engine) }

// line identifies the tasks among which the oldest one comes first.
type line struct {
	share  string // of the caller, in what callers share: all whose token may be invented are one
	urgent bool
}

// fairQueue is a queue of tasks. Callers take turns, so that the tasks of one do not delay those of others. Urgent ones
// come before others, but not all of them: callers that begin thousands of streams must not stop the reads of others.
type fairQueue struct {
	running *quota.Pool // of the tasks in progress; nil if callers take turns only
	lines   [2]quota.Lines[task]
	added   int // tasks since goroutines were last started for them
	urgent  int // urgent tasks since the last other one
}

// maxUrgent is the number of urgent tasks after which another one has its turn.
const maxUrgent = 3

// of returns the lines of urgent tasks, or of others.
func (q *fairQueue) of(urgent bool) *quota.Lines[task] {
	if urgent {
		return &q.lines[0]
	}
	return &q.lines[1]
}

func (q *fairQueue) length() int { return q.lines[0].Len() + q.lines[1].Len() }

func (q *fairQueue) add(to line, t task) {
	q.of(to.urgent).Add(to.share, t)
	q.added++
}

// remove removes a task, and reports whether it waited.
func (q *fairQueue) remove(from line, t task) bool { return q.of(from.urgent).Remove(from.share, t) }

// next returns the next task, whose caller calls done at its end. There may be none although some wait: until others
// are done.
func (q *fairQueue) next() (t task, from line) {
	admit := func(share string, _ task) (admitted, stop bool) {
		from.share = share
		return q.running == nil || q.running.Take(share, 1), false
	}
	for i := range q.lines {
		from.urgent = (i == 0) == (q.urgent < maxUrgent)
		if t, ok := q.of(from.urgent).Next(admit); ok {
			if q.urgent++; !from.urgent {
				q.urgent = 0
			}
			return t, from
		}
	}
	return nil, line{}
}

// done says that a task has ended.
func (q *fairQueue) done(from line) {
	if q.running != nil {
		q.running.Return(from.share, 1)
	}
}
