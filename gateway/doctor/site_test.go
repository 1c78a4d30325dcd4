package doctor_test

import (
	"bytes"
	"cmp"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/auth"
	"pixgraph/gateway/doctor"
	"pixgraph/gateway/settings"
	"pixgraph/internal/egress"
	"pixgraph/internal/memnet"
	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/client"
)

// row is an expected check: its result, and substrings of its detail and hint.
type row struct {
	what     string
	result   doctor.Result
	contains []string
}

// testCase is a gateway with one problem, and the expected report.
type testCase struct {
	name         string
	config       sandbox.Config
	flags        []string // settings, which override those of the sandbox
	privateCA    string   // the flag of the doctor
	injectFaults func(*testing.T, *sandbox.Sandbox)
	token        func(*sandbox.Sandbox) string // nil for a valid one
	rows         []row
	passes       bool
}

func (c testCase) examine(t *testing.T) { synctest.Test(t, c.test) }

func (c testCase) test(t *testing.T) {
	s := newSite(t, c.config)
	s.privateCA = c.privateCA
	if c.injectFaults != nil {
		c.injectFaults(t, s.box)
	}
	token := s.box.Token()
	if c.token != nil {
		token = c.token(s.box)
	}
	report := s.run(token, c.flags...)
	expect(t, report, c.rows...)
	if report.Passed() != c.passes {
		t.Errorf("passed %t:\n%s", report.Passed(), texts(t, report)[0])
	}
	for _, text := range texts(t, report) {
		for _, secret := range append(strings.Split(token, "."), issuer.DefaultSubject) {
			if len(secret) > 8 && strings.Contains(text, secret) {
				t.Errorf("the report contains part of the token: %s", text)
			}
		}
		for _, entry := range s.box.Ledger().Deposits() {
			if strings.Contains(text, entry.ID) {
				t.Errorf("the report contains an id: %s", text)
			}
		}
	}
}

// site is a sandbox in a network in memory, and what else a test puts there.
type site struct {
	*testing.T
	memnet.Network
	sockets sockets // of the doctor
	box     *sandbox.Sandbox

	privateCA string // the flag of the doctor
}

// sockets are connections of a network in memory.
type sockets interface {
	egress.Dialer
	egress.Resolver
}

// newSite starts a sandbox with 50 records of each kind, which do not change, unless the configuration has others.
func newSite(t *testing.T, config sandbox.Config) *site {
	t.Helper()
	s := &site{T: t}
	s.sockets = &s.Network
	config.Records, config.MoveEvery, config.Listen = cmp.Or(config.Records, 50), -1, s.Listen
	s.box = gatewaytest.StartSandbox(t, config)
	return s
}

// bubble runs a test with a site and a clock of its own.
func bubble(t *testing.T, test func(*site)) {
	synctest.Test(t, func(t *testing.T) { test(newSite(t, sandbox.Config{})) })
}

// run runs the doctor with a token, and with flags, which replace those of a gateway over the sandbox.
func (s *site) run(token string, flags ...string) doctor.Report {
	s.Helper()
	set, err := settings.Load(gatewaytest.Flags(s.box, flags...), nil)
	if err != nil {
		s.Fatal(err)
	}
	open := func(c egress.Config) *egress.Access {
		c.Dialer, c.Resolver = s.sockets, s.sockets
		access, err := egress.Open(c)
		if err != nil {
			s.Fatal(err)
		}
		s.Cleanup(access.Close)
		return access
	}
	core, dispatcher, issuer, redis := open(set.Core), open(set.Dispatcher), open(set.Auth), open(set.Redis)
	tokens := set.Tokens
	tokens.Transport = issuer
	authenticator, err := auth.New(tokens)
	if err != nil {
		s.Fatal(err)
	}
	defer authenticator.Close()
	report, err := doctor.Run(s.Context(), doctor.Config{
		Settings: set, Authenticator: authenticator, Token: token, PrivateCA: s.privateCA, Core: core, Dispatcher: dispatcher, Issuer: issuer, Redis: redis,
		Public:    &http.Transport{DialContext: s.DialContext, DisableKeepAlives: true},
		OpenFiles: 30_000, Memory: 1 << 30, Connect: func(set settings.Settings) (*client.Client, error) {
			config := set.Client
			config.Core, config.Dispatcher = core, dispatcher
			return client.New(config)
		},
	})
	if err != nil {
		s.Fatal(err)
	}
	return report
}

// silentPort is an address that accepts connections, and sends nothing.
func (s *site) silentPort() string {
	s.Helper()
	listener, err := s.Listen()
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String()
}

// closedPort is an address where nothing listens.
func (s *site) closedPort() string {
	s.Helper()
	listener, err := s.Listen()
	if err != nil {
		s.Fatal(err)
	}
	_ = listener.Close()
	return listener.Addr().String()
}

// expect looks for the rows in a report.
func expect(t *testing.T, report doctor.Report, rows ...row) {
	t.Helper()
	for _, want := range rows {
		if !found(report, want) {
			t.Errorf("no row %q with result %s that contains %q in\n%s", want.what, want.result, want.contains, texts(t, report)[0])
		}
	}
}

func found(report doctor.Report, want row) bool {
	for _, c := range report.Checks {
		if !strings.HasPrefix(c.What, want.what) || c.Result != want.result {
			continue
		}
		all := true
		for _, text := range want.contains {
			all = all && strings.Contains(c.Detail+" "+c.Hint, text)
		}
		if all {
			return true
		}
	}
	return false
}

// texts are the report as a table and as JSON.
func texts(t *testing.T, report doctor.Report) []string {
	t.Helper()
	var table, machine bytes.Buffer
	if err := report.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	if err := report.WriteJSON(&machine); err != nil {
		t.Fatal(err)
	}
	return []string{table.String(), machine.String()}
}
