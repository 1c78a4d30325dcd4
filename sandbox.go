package main

import (
	"fmt"
	"io"
	"log/slog"

	"pixgraph/auth"
	"pixgraph/internal/settings"
	"pixgraph/upstream/sandbox"
)

// The default names of the sandbox's paging parameters. The spec does not name them.
const (
	sandboxPageParam    = "page"
	sandboxPerPageParam = "perPage"
)

// sandboxClientID is the client ID of the console at the sandbox's issuer, which accepts any.
const sandboxClientID = "graphiql"

// startSandbox starts a sandbox according to the settings. It fills in missing settings so that the gateway uses the
// sandbox, with the same keys that configure real services.
func startSandbox(s settings.Settings, log *slog.Logger) (*sandbox.Sandbox, settings.Settings, error) {
	fill(&s.PagingPageParam, sandboxPageParam)
	fill(&s.PagingPerPageParam, sandboxPerPageParam)
	fill(&s.LinksMetadataPointer, "/notificationIds")
	fill(&s.Trace, traceOn)
	if err := s.Check(); err != nil { // the name that is set may equal the default of the other parameter
		return nil, s, err
	}
	config := sandbox.Config{PageParam: s.PagingPageParam, PerPageParam: s.PagingPerPageParam, Log: log}
	if len(s.AuthAudiences) > 0 {
		config.Audience = s.AuthAudiences[0]
	}
	box, err := sandbox.Start(config)
	if err != nil {
		return nil, s, err
	}
	s.CoreURL, s.DispatcherURL = box.CoreURL(), box.DispatcherURL()
	s.ShutdownDelay = 0 // no load balancer is in front of a sandbox: its tokens are valid only for this process
	fill(&s.ConsoleClientID, sandboxClientID)
	s.ConsoleIssuer = box.IssuerURL()
	if s.AuthMode == string(auth.ModeOIDC) {
		s.AuthIssuers = []string{box.IssuerURL()} // the only issuer whose tokens the sandbox accepts; Check allows no other
		if len(s.AuthAudiences) == 0 {
			s.AuthAudiences = []string{box.Audience()}
		}
	}
	return box, s, nil
}

func fill(setting *string, value string) {
	if *setting == "" {
		*setting = value
	}
}

// greet prints where to start.
func greet(w io.Writer, base, token string) {
	const query = `{"query":"{ deposits(perPage: 3) { totalCount nodes { id amount status } } }"}`
	fmt.Fprintf(w, `Pixgraph with its sandbox: made-up data, no real payments.

  GraphiQL  %[1]s/
  GraphQL   %[1]s/graphql
  Schema    %[1]s/schema.graphql

A token, valid for one hour:

  %[2]s

Try:

  curl -s %[1]s/graphql -H 'Content-Type: application/json' -H 'Authorization: Bearer %[2]s' -d '%[3]s'

`, base, token, query)
}
