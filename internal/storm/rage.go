package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pixgraph/upstream"
)

// storm is what the core's hanging did, under clients of the core who are patient or not.
type storm struct {
	patient bool

	calm, raging        sample // of those who ask for the dispatcher only
	elsewhere           sample // of them, while the same crowd asks a decoy
	calmSeen, stormSeen seen
	crowd               heard
	calls               int           // that the core got while it hung
	back                time.Duration // from the end of that to the first good answer
}

func (s *storm) name() string {
	if s.patient {
		return "patient"
	}
	return "hammering"
}

// The clients of the dispatcher: a thousand requests a second, a small part of what a core of a processor can answer.
const (
	dispatchers = 10
	pace        = 10 * time.Millisecond
)

// warmUp is how long the gateway is loaded before it is looked at.
const warmUp = time.Second

// rage looks at the clients of the dispatcher, first alone, then while the core hangs under its own clients; and waits for
// the first good answer of the core after that.
func (s *storm) rage(ctx context.Context, over *scene) (err error) {
	deliveries, err := over.deliveries()
	if err != nil {
		return err
	}
	demands, err := over.demands()
	if err != nil {
		return err
	}
	l := load{address: over.gateway.Address, requests: deliveries, clients: dispatchers, pace: pace}
	if _, _, err := over.observe(ctx, l, min(warmUp, over.calm)); err != nil {
		return err
	}
	if s.calm, s.calmSeen, err = over.observe(ctx, l, over.calm); err != nil {
		return err
	}
	over.stall()
	over.box.ResetCalls()
	crowd, err := startCrowd(ctx, order{
		Address: over.gateway.Address, Connections: over.clients, Requests: demands, Patient: s.patient,
	})
	if err != nil {
		return err
	}
	s.raging, s.stormSeen, err = over.observe(ctx, l, over.hang)
	s.calls = over.box.Counters().Core
	over.hanging.Store(false)
	ended := time.Now()
	if err != nil {
		_, left := crowd.sendHome()
		return errors.Join(err, left)
	}
	s.crowd, err = crowd.awaitGood(patience)
	s.back = s.crowd.Good.Sub(ended)
	if err != nil {
		return err
	}
	return s.compare(ctx, over, l, demands)
}

// compare looks at the clients of the dispatcher while the crowd has nothing to do with the gateway but the machine.
func (s *storm) compare(ctx context.Context, over *scene, l load, demands [][]byte) error {
	decoy, address, err := startDecoy(ctx)
	if err != nil {
		return err
	}
	crowd, err := startCrowd(ctx, order{Address: address, Connections: over.clients, Requests: demands, Patient: s.patient})
	if err != nil {
		return errors.Join(err, decoy.stop())
	}
	s.elsewhere, _, err = over.observe(ctx, l, over.calm)
	_, left := crowd.sendHome()
	return errors.Join(err, left, decoy.stop())
}

// patience is how long the first good answer may take: far longer than it should.
const patience = time.Minute

// judge fails for counts and states.
func (s *storm) judge() error {
	var errs []error
	for _, part := range []sample{s.calm, s.raging} {
		if part.answers() == 0 || part.codes[good] != part.answers() {
			errs = append(errs, fmt.Errorf("of those who asked for the dispatcher some were not answered: %s", counted(part.codes)))
		}
	}
	if !slices.Contains(s.stormSeen.core, "open") {
		errs = append(errs, fmt.Errorf("the breaker of the core did not open: %v", s.stormSeen.core))
	}
	if !slices.Equal(s.stormSeen.dispatcher, []string{"closed"}) {
		errs = append(errs, fmt.Errorf("the breaker of the dispatcher did not stay closed: %v", s.stormSeen.dispatcher))
	}
	if s.stormSeen.inFlight > upstream.DefaultConcurrency {
		errs = append(errs, fmt.Errorf("%d calls to the core at a time", s.stormSeen.inFlight))
	}
	return errors.Join(errs...)
}
