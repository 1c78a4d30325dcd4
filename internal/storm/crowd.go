package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// crowdRole is the argument that makes the binary a crowd.
const crowdRole = "crowd"

// order is what a crowd is told: whom to ask what, over how many connections. Each connection has a part of the requests
// of its own, and asks again when it is answered.
type order struct {
	Address     string
	Connections int
	Requests    [][]byte
	// Patient has a connection that was answered with an error wait for as long as the answer says, or for impatience.
	Patient bool
}

// impatience is how long a patient client waits that was not told how long.
const impatience = 100 * time.Millisecond

// heard is what a crowd was answered.
type heard struct {
	Answers int
	Codes   map[string]int // of the first error of an answer, or good
	Good    time.Time      // of the first good answer
}

func (h *heard) add(other heard) {
	h.Answers += other.Answers
	for code, n := range other.Codes {
		h.Codes[code] += n
	}
}

// beCrowd reads an order, and obeys until its input ends. It prints the time of the first good answer when that comes, and
// at the end what it heard.
func beCrowd(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	var o order
	in := bufio.NewReader(stdin)
	text, err := in.ReadBytes('\n')
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &o); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // ends with the process at the latest
		_, _ = io.Copy(io.Discard, in)
		stop()
	}()
	out := json.NewEncoder(stdout)
	var first sync.Once
	all, err := o.obey(ctx, func(at time.Time) { first.Do(func() { _ = out.Encode(heard{Good: at}) }) })
	return errors.Join(err, out.Encode(all))
}

// obey asks over all connections until the context ends, and tells of every good answer.
func (o order) obey(ctx context.Context, tell func(time.Time)) (heard, error) {
	each := make([]heard, o.Connections)
	errs := make([]error, o.Connections)
	var asking sync.WaitGroup
	for i := range o.Connections {
		asking.Go(func() { each[i], errs[i] = o.ask(ctx, i, tell) })
	}
	asking.Wait()
	all := heard{Codes: map[string]int{}}
	for _, h := range each {
		all.add(h)
	}
	return all, errors.Join(errs...)
}

// ask is what one connection does.
func (o order) ask(ctx context.Context, i int, tell func(time.Time)) (heard, error) {
	h := heard{Codes: map[string]int{}}
	c, err := dial(ctx, o.Address)
	if ctx.Err() != nil {
		return h, nil // sent home before it was there
	}
	if err != nil {
		return h, err
	}
	defer c.close()
	defer context.AfterFunc(ctx, c.close)() // what is under way then is not heard
	for next := i; ctx.Err() == nil; next += o.Connections {
		answer, err := c.ask(o.Requests[next%len(o.Requests)])
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return h, err
		}
		code := codeOf(answer)
		h.Answers++
		h.Codes[code]++
		switch {
		case code == good:
			tell(time.Now())
		case o.Patient:
			wait(ctx, max(retryAfter(answer), impatience))
		}
	}
	return h, nil
}

// wait waits, or until the context ends.
func wait(ctx context.Context, pause time.Duration) {
	if pause <= 0 {
		return
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// crowd is a crowd that was started.
type crowd struct {
	*role
	heard *json.Decoder
}

func startCrowd(ctx context.Context, o order) (*crowd, error) {
	r, err := startRole(ctx, crowdRole)
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(r.in).Encode(o); err != nil {
		return nil, errors.Join(fmt.Errorf("order a crowd: %w", err), r.stop())
	}
	return &crowd{r, json.NewDecoder(r.said)}, nil
}

// awaitGood returns what the crowd heard until its first good answer, which must come within patience, and sends it home.
func (c *crowd) awaitGood(patience time.Duration) (heard, error) {
	late := time.AfterFunc(patience, func() { _ = c.in.Close() })
	var first heard
	err := c.heard.Decode(&first)
	if !late.Stop() && err == nil && first.Good.IsZero() {
		err = fmt.Errorf("no good answer within %s", patience)
	}
	all, left := c.sendHome()
	all.Good = first.Good
	return all, errors.Join(err, left)
}

// sendHome ends the crowd and returns what it heard.
func (c *crowd) sendHome() (heard, error) {
	err := c.in.Close()
	if errors.Is(err, os.ErrClosed) {
		err = nil
	}
	var all, next heard
	for c.heard.Decode(&next) == nil {
		all, next = next, heard{}
	}
	return all, errors.Join(err, c.cmd.Wait())
}
