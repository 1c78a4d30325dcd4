package main

import (
	"fmt"
	"io"

	"pixgraph/auth"
	"pixgraph/internal/settings"
	"pixgraph/upstream/sandbox"
)

// The names that the sandbox is given for its paging parameters: the spec shows none.
const (
	sandboxPageParam    = "page"
	sandboxPerPageParam = "perPage"
)

// sandboxed points the settings that were left open at the sandbox, through the same keys that point a gateway at real
// services.
func sandboxed(s settings.Settings, box *sandbox.Sandbox) settings.Settings {
	s.CoreURL, s.DispatcherURL = box.CoreURL(), box.DispatcherURL()
	if s.AuthMode == string(auth.ModeOIDC) && len(s.AuthIssuers) == 0 {
		s.AuthIssuers, s.AuthAudiences = []string{box.IssuerURL()}, []string{box.Audience()}
	}
	fill(&s.PagingPageParam, sandboxPageParam)
	fill(&s.PagingPerPageParam, sandboxPerPageParam)
	fill(&s.LinksMetadataPointer, "/notificationIds")
	return s
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
