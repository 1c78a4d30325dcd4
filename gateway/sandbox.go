package gateway

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pixgraph/auth"
	"pixgraph/gateway/settings"
	"pixgraph/sandbox"
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
func startSandbox(s settings.Settings, config sandbox.Config, log *slog.Logger) (*sandbox.Sandbox, settings.Settings, error) {
	fill(&s.Client.PageParam, sandboxPageParam)
	fill(&s.Client.PerPageParam, sandboxPerPageParam)
	fill(&s.LinksMetadataPointer, "/notificationIds")
	fill(&s.Trace, traceOn)
	if err := s.Check(); err != nil { // the name that is set may equal the default of the other parameter
		return nil, s, err
	}
	config.PageParam, config.PerPageParam, config.Log = s.Client.PageParam, s.Client.PerPageParam, log
	config.Deposits = s.SandboxDeposits
	if len(s.Tokens.Audiences) > 0 {
		config.Audience = s.Tokens.Audiences[0]
	}
	box, err := sandbox.Start(config)
	if err != nil {
		return nil, s, err
	}
	s.Client.CoreURL, s.Client.DispatcherURL = box.CoreURL(), box.DispatcherURL()
	s.ShutdownDelay = 0 // no load balancer is in front of a sandbox
	if !slices.Contains(s.CORS.Origins, "*") {
		s.CORS.Origins = append(slices.Clone(s.CORS.Origins), "http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*")
	}
	fill(&s.ConsoleClientID, sandboxClientID)
	s.ConsoleIssuer = box.IssuerURL()
	if s.Tokens.Mode == auth.ModeOIDC {
		s.Tokens.Issuers = box.Issuer().URLs() // the only issuer whose tokens the sandbox accepts; Check allows no other
		if len(s.Tokens.Audiences) == 0 {
			s.Tokens.Audiences = []string{box.Audience()}
		}
	}
	return box, s, nil
}

func fill(setting *string, value string) {
	if *setting == "" {
		*setting = value
	}
}

// loopbackURLs are the URLs of a server on the machine itself, with the host as an address and as localhost. The list
// is empty if it listens on an address of a network only, or on a unix socket.
func loopbackURLs(addr net.Addr, scheme string) []string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		return nil
	}
	at := tcp.AddrPort()
	hosts := []string{"127.0.0.1", "localhost"}
	switch ip := at.Addr().Unmap(); {
	case ip.IsUnspecified():
	case ip == netip.IPv6Loopback():
		hosts[0] = ip.String()
	case !ip.IsLoopback():
		return nil
	case ip.String() != hosts[0]: // an address of loopback that localhost does not name
		hosts = []string{ip.String()}
	}
	var urls []string
	for _, host := range hosts {
		u := url.URL{Scheme: scheme, Host: net.JoinHostPort(host, strconv.Itoa(int(at.Port())))}
		if defaults := map[string]uint16{"http": 80, "https": 443}; at.Port() == defaults[scheme] { // browsers omit it
			u.Host = strings.TrimSuffix(u.Host, ":"+u.Port())
		}
		urls = append(urls, u.String())
	}
	return urls
}

// keyFile is the file of the sandbox's key in the user's cache, so that tokens outlive a restart.
func keyFile(cacheDir string, log *slog.Logger) string {
	if cacheDir == "" {
		log.Warn("sandbox: tokens are valid until this process ends, because the user has no cache directory")
		return ""
	}
	return filepath.Join(cacheDir, "pixgraph", "sandbox-key.pem")
}

// greet prints where to start, in lines of at most 100 columns for ports of four digits.
func greet(w io.Writer, at net.Addr, scheme, sandboxURL string) {
	base, socket := scheme+"://"+at.String(), ""
	if urls := loopbackURLs(at, scheme); urls != nil {
		base = urls[len(urls)-1]
	}
	if at.Network() == "unix" {
		base, socket = scheme+"://localhost", " --unix-socket "+at.String()
	}
	fmt.Fprintf(w, `Pixgraph with its sandbox: made-up data, no real payments.

  GraphiQL  %[1]s/
  Payments  %[1]s/payments
  GraphQL   %[1]s/graphql
  Schema    %[1]s/schema.graphql
  Sandbox   %[2]s  (tokens, faults, recorded calls)

Try:

  TOKEN=$(curl -s %[3]s/token)
  curl -sg%[5]s "%[4]s/graphql?query={deposits{totalCount}}" -H "Authorization: Bearer $TOKEN"

`, base, sandboxURL, strings.TrimPrefix(sandboxURL, "http://"), strings.TrimPrefix(base, "http://"), socket)
}
