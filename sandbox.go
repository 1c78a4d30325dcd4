package main

import (
	"fmt"
	"io"
	"log/slog"

	"pixgraph/auth"
	"pixgraph/internal/settings"
	"pixgraph/upstream/sandbox"
)

// The names that the sandbox is given for its paging parameters: the spec shows none.
const (
	sandboxPageParam    = "page"
	sandboxPerPageParam = "perPage"
)

// sandboxClientID is what the sandbox's issuer, which takes any, knows the console as.
const sandboxClientID = "graphiql"

// startSandbox starts a sandbox that is as the settings say, and points what they leave open at it, through the same keys
// that point a gateway at real services.
func startSandbox(s settings.Settings, log *slog.Logger) (*sandbox.Sandbox, settings.Settings, error) {
	fill(&s.PagingPageParam, sandboxPageParam)
	fill(&s.PagingPerPageParam, sandboxPerPageParam)
	fill(&s.LinksMetadataPointer, "/notificationIds")
	fill(&s.Trace, traceOn)
	if err := s.Check(); err != nil { // a name that was given may be the other one's default
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
	s.ShutdownDelay = 0 // its tokens end with it, so nobody balances over several
	fill(&s.ConsoleClientID, sandboxClientID)
	s.ConsoleIssuer = box.IssuerURL()
	if s.AuthMode == string(auth.ModeOIDC) {
		s.AuthIssuers = []string{box.IssuerURL()} // the only one whose tokens the sandbox takes: Check leaves no other
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

// greet tells a newcomer where to look.
func greet(w io.Writer, base, token string) {
	const query = `{"query":"{ deposits(perPage: 3) { totalCount nodes { id amount status } } }"}`
	fmt.Fprintf(w, `Pixgraph with its sandbox: made-up data, no real payments.

  GraphiQL  %[1]s/
  GraphQL   %[1]s/graphql
  Schema    %[1]s/schema.graphql

A token, good for an hour:

  %[2]s

Try:

  curl -s %[1]s/graphql -H 'Content-Type: application/json' -H 'Authorization: Bearer %[2]s' -d '%[3]s'

`, base, token, query)
}
