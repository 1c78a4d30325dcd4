package gatewaytest

import (
	"slices"
	"strings"
	"testing"

	"pixgraph/sandbox"
)

// NewSandbox starts a sandbox with 50 records of each kind, which do not change. It ends with the test.
func NewSandbox(t testing.TB) *sandbox.Sandbox {
	t.Helper()
	return StartSandbox(t, sandbox.Config{Records: 50, MoveEvery: -1})
}

// StartSandbox starts a sandbox, which ends with the test.
func StartSandbox(t testing.TB, config sandbox.Config) *sandbox.Sandbox {
	t.Helper()
	box, err := sandbox.Start(config)
	must(t, err)
	t.Cleanup(func() { _ = box.Close() })
	return box
}

// Flags returns the flags of a gateway over a sandbox whose tokens it verifies, and the given flags. A given flag
// replaces the one with its key.
func Flags(box *sandbox.Sandbox, given ...string) []string {
	var flags []string
	for _, flag := range []string{
		"--core-url=" + box.CoreURL(), "--dispatcher-url=" + box.DispatcherURL(),
		"--auth-issuer=" + box.IssuerURL(), "--auth-audience=" + box.Audience(),
		"--paging-page-param=page", "--paging-per-page-param=perPage", "--links-metadata-pointer=/notificationIds",
	} {
		key, _, _ := strings.Cut(flag, "=")
		if !slices.ContainsFunc(given, func(other string) bool { return strings.HasPrefix(other, key+"=") }) {
			flags = append(flags, flag)
		}
	}
	return append(flags, given...)
}

// Calls returns the calls to the sandbox so far, as "service path?query".
func (g *Gateway) Calls() []string {
	var list []string
	for _, call := range g.Box.Calls() {
		text := call.Service + " " + call.Path
		if call.RawQuery != "" {
			text += "?" + call.RawQuery
		}
		list = append(list, text)
	}
	return list
}

// AwaitCalls waits until n calls to the sandbox have begun.
func (g *Gateway) AwaitCalls(n int) {
	g.T.Helper()
	must(g.T, g.Box.AwaitCalls(g.T.Context(), n))
}

// WantCalls fails the test unless n calls to the sandbox were made, all with the token.
func (g *Gateway) WantCalls(n int, token string) {
	g.T.Helper()
	calls := g.Box.Calls()
	if len(calls) != n {
		g.T.Fatalf("%d calls to the APIs, want %d:\n%s", len(calls), n, strings.Join(g.Calls(), "\n"))
	}
	for _, call := range calls {
		if got := call.Header.Values("Authorization"); !slices.Equal(got, []string{"Bearer " + token}) {
			g.T.Errorf("%s had a token that is not the caller's", call.Path)
		}
	}
}

// WantNoCalls fails the test if a call to the sandbox was made.
func (g *Gateway) WantNoCalls() {
	g.T.Helper()
	g.WantCalls(0, "")
}
