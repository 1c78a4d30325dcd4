package live

import (
	"errors"
	"fmt"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// run reads a watch of the queue once and notifies its streams, unless they left or it must wait.
func (w *watch) run(e *Engine) {
	err := e.guard("read", func() error { return e.read(w) })
	switch {
	case errors.Is(err, client.ErrUnchanged):
		e.do(w.unchanged)
	case err != nil:
		e.do(func(now time.Time) { w.failed(err, now) })
	}
}

// read reads a watch and answers its cohorts. Answers are computed without the lock.
func (e *Engine) read(w *watch) error {
	var first, ok bool
	e.do(func(now time.Time) { first, ok = w.begin(now) })
	if !ok || e.ctx.Err() != nil {
		return nil
	}
	reading, err := e.config.Source.Read(e.ctx, w.token, w.subject, first, &w.seen)
	if err != nil {
		return err
	}
	defer reading.Release()
	var outdated []*cohort
	e.do(func(now time.Time) { outdated, ok = w.apply(reading, now) })
	for _, c := range outdated {
		e.answer(c, reading)
	}
	if ok {
		e.do(w.finishRead)
	}
	return nil
}

// answer computes the answer to a reading, and notifies the streams.
func (e *Engine) answer(c *cohort, reading *Reading) {
	var answer []byte
	var err error
	if c.execute != nil {
		err = e.guard("answer", func() (err error) {
			answer, err = c.execute(e.ctx, reading)
			return err
		})
	}
	e.do(func(now time.Time) { c.executed(reading, answer, err, now) })
}

// errPanic is the error of a function that panicked.
var errPanic error = &upstream.Error{Kind: upstream.KindInternal, Err: errors.New("panic")}

// guard calls a function of the user of the engine, and recovers from a panic.
func (e *Engine) guard(what string, call func() error) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			e.config.Log.Error("panic in a live "+what, "type", fmt.Sprintf("%T", panicked))
			err = errPanic
		}
	}()
	return call()
}
