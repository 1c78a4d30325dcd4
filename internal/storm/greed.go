package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pixgraph/upstream/sandbox"
)

// greed is what a caller who asks for fifty times as much as another did to the other.
type greed struct {
	alone, beside sample // of the small one
	seen          seen   // while both were there
	crowd         heard  // of the greedy one
}

// The two callers, and how long the core takes, so that turns are scarce: each connection has 16 calls under way at a time.
const (
	small   = 2
	greedy  = 50 * small
	latency = 20 * time.Millisecond
)

// grab looks at a small caller, first alone, then beside a greedy one.
func (g *greed) grab(ctx context.Context, over *scene) error {
	over.box.Inject(sandbox.Fault{Service: sandbox.Core, Latency: latency})
	modest, err := over.statements("small")
	if err != nil {
		return err
	}
	many, err := over.statements("greedy")
	if err != nil {
		return err
	}
	l := load{address: over.gateway.Address, requests: modest, clients: small}
	if g.alone, _, err = over.observe(ctx, l, over.calm); err != nil {
		return err
	}
	crowd, err := startCrowd(ctx, order{Address: over.gateway.Address, Connections: greedy, Requests: many})
	if err != nil {
		return err
	}
	g.beside, g.seen, err = over.observe(ctx, l, over.greed)
	heard, left := crowd.sendHome()
	g.crowd = heard
	return errors.Join(err, left)
}

func (g *greed) judge() error {
	for _, part := range []sample{g.alone, g.beside} {
		if part.answers() == 0 || part.codes[good] != part.answers() {
			return fmt.Errorf("the small caller did not get all that it asked for: %s", counted(part.codes))
		}
	}
	return nil
}
