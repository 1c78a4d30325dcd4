package gateway

import (
	"context"
	"fmt"
	"log/slog"

	"pixgraph/auth"
	"pixgraph/gateway/listener"
	"pixgraph/internal/httpserver"
)

// serve starts to serve both addresses.
func (g *instance) serve() {
	s := g.settings
	public := closeWhileDraining(httpserver.BoundHTTP2(g.gateway, s.Connections), &g.draining)
	g.publicServer = httpserver.New(g.metrics.Around(public), g.log)
	health := health(g.authenticator, &g.draining)
	g.adminServer = httpserver.New(adminMux(health, g.metrics.Handler()), g.log)
	g.serving.Go(func() { g.ended <- httpserver.Serve(g.publicServer, g.clients, g.certificates) })
	g.serving.Go(func() { g.ended <- g.adminServer.Serve(g.admin) })
}

// await waits for a channel. It returns an error if a server ended before.
func await[T any](until <-chan T, ended <-chan error) error {
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-until:
		return nil
	}
}

// announce reports what is served, and what the settings or the limits of the process make unavailable.
func (g *instance) announce(ctx context.Context) {
	p, s, log := g.process, g.settings, g.log
	log.Info("serving", "address", listener.Address(g.public), "tls", s.TLS.Cert.Path != "", "admin", listener.Address(g.admin), "sandbox", g.box != nil,
		"connections", s.Connections, "streams", s.Streams.Streams,
		"core_http", protocolOf(s.Client.HTTP, s.Client.CoreURL), "dispatcher_http", protocolOf(s.Client.HTTP, s.Client.DispatcherURL), "settings", s)
	for setting, instead := range s.Removed() {
		log.Warn("a setting was removed and has no effect", "setting", setting, "instead", instead)
	}
	if s.Tokens.Mode == auth.ModeForward {
		log.Warn(auth.ForwardWarning, "instead", auth.ForwardHint)
		if rate := s.Limits.Rate.PerIdentity; g.fleet != nil && rate.PerSecond > 0 {
			log.Warn("rate_identity is not shared with other replicas: in forward mode a caller is its token", "instead", "set rate_address too, which is")
		}
	}
	if missing := s.Missing(); len(missing) > 0 {
		log.LogAttrs(ctx, slog.LevelWarn, "features are unavailable because settings are not set", missing...)
	}
	if needed := s.FilesNeeded(); p.OpenFiles > 0 && p.OpenFiles < needed {
		log.Warn("the limit of open files is too low for more connections of clients", "limit", p.OpenFiles, "needed", needed)
	}
	if needed := s.MemoryNeeded(); p.Memory > 0 && p.Memory < needed {
		log.Warn("the memory limit of the container is too low for limits_memory", "limit", p.Memory, "needed", needed)
	}
	if g.box != nil {
		greet(p.Stdout, g.public.Addr(), scheme(s), g.box.URL())
	}
}
