package main

import (
	"fmt"

	"pixgraph/internal/redistest"
)

// startRedis starts a Redis server, and a proxy that can be slow or silent.
func (t *tool) startRedis() (server *redistest.Server, proxy *redistest.Proxy, err error) {
	defer func() {
		if failed, ok := recover().(redisError); ok {
			err = failed
		}
	}()
	server = redistest.Start(redisT{t})
	return server, redistest.StartProxy(redisT{t}, server.Address()), nil
}

// redisT is a redistest.T of the tool. Fatalf panics with a redisError.
type redisT struct{ *tool }

type redisError struct{ error }

func (t redisT) Helper() {}

func (t redisT) Cleanup(stop func()) {
	t.stops = append(t.stops, func() error { stop(); return nil })
}

func (t redisT) Fatalf(format string, args ...any) { panic(redisError{fmt.Errorf(format, args...)}) }
