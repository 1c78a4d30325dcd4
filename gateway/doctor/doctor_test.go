package doctor_test

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"pixgraph/auth"
	"pixgraph/gateway/doctor"
	"pixgraph/gateway/settings"
	"pixgraph/internal/egress"
	"pixgraph/internal/egress/egresstest"
	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/client"
	"pixgraph/upstream/sandbox"
	"pixgraph/upstream/sandbox/issuer"
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
	injectFaults func(*testing.T, *sandbox.Sandbox)
	token        func(*sandbox.Sandbox) string // nil for a valid one
	rows         []row
	passes       bool
}

func noToken(*sandbox.Sandbox) string { return "" }

// closedPort is an address on loopback where nothing listens until the test ends: the port is that of a connection.
func closedPort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	conn, err := net.Dial("tcp4", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // until then no server gets the port
	return conn.LocalAddr().String()
}

// silentPort returns the address of a port that accepts connections and sends nothing.
func silentPort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String()
}

// injectFault makes the matching calls fail.
func injectFault(f sandbox.Fault) func(*testing.T, *sandbox.Sandbox) {
	return func(_ *testing.T, box *sandbox.Sandbox) { box.Inject(f) }
}

func anonymous(r *http.Request) bool { return r.Header.Get("Authorization") == "" }

var counts = regexp.MustCompile(`"total(Pages)?":\d+,`)

// TestRun checks gateways with one problem each.
func TestRun(t *testing.T) {
	const emptyPage = `{"total":0,"totalPages":0,"currentPage":1,"perPage":20,"data":[]}`
	minted := func(g issuer.Grant) func(*sandbox.Sandbox) string {
		return func(box *sandbox.Sandbox) string { return box.Issuer().Mint(g) }
	}
	tests := []testCase{
		{name: "no problem", passes: true, rows: []row{
			{"token", doctor.OK, []string{"expires in", "scopes: get_dispatcher"}},
			{"scope get_dispatcher", doctor.OK, nil},
			{"service core", doctor.OK, []string{"401 without a token"}},
			{"service dispatcher", doctor.OK, []string{"401 without a token"}},
			{"list deposits", doctor.OK, []string{"20 of 50 records"}},
			{"list withdrawals", doctor.OK, []string{"20 of 50 records"}},
			{"look up a notification", doctor.OK, []string{"404"}},
			{"paging", doctor.OK, []string{"page 2"}},
			{"links_metadata_pointer", doctor.OK, []string{"is a notification of it"}},
		}},
		{name: "the issuer is down", injectFaults: func(_ *testing.T, box *sandbox.Sandbox) { box.Issuer().SetDown(true) }, rows: []row{
			{"issuer ", doctor.Fail, []string{"discovery: status 503", "auth_issuer"}},
			{"token", doctor.Fail, []string{"not verified", "issuers above"}},
			{"service core", doctor.OK, nil},
		}},
		{name: "another algorithm", flags: []string{"--auth-algorithms=PS512"}, rows: []row{
			{"issuer ", doctor.Fail, []string{"PS512", "auth_algorithms"}},
			{"token", doctor.Fail, []string{"auth_algorithms"}},
		}},
		{name: "another audience", flags: []string{"--auth-audience=other-audience"}, rows: []row{
			{"token", doctor.Fail, []string{"audience not accepted", "auth_audience"}},
		}},
		{name: "an expired token", token: minted(issuer.Grant{TTL: -time.Hour}), rows: []row{
			{"token", doctor.Fail, []string{"expired", "get a new one"}},
		}},
		{name: "not a token", token: func(*sandbox.Sandbox) string { return "c4nary-is-not-a-token" }, rows: []row{
			{"token", doctor.Fail, []string{"malformed"}},
		}},
		{name: "a token that expires soon", token: minted(issuer.Grant{TTL: time.Minute, Scopes: []string{"get_dispatcher"}}), passes: true, rows: []row{
			{"token", doctor.Warn, []string{"get a new one"}},
		}},
		{name: "a token without the scope", token: func(box *sandbox.Sandbox) string { return box.Token("") }, passes: true, rows: []row{
			{"token", doctor.OK, []string{"no scopes"}},
			{"scope get_dispatcher", doctor.Warn, []string{"FORBIDDEN"}},
			{"look up a notification", doctor.OK, []string{"403"}},
			{"links_metadata_pointer", doctor.OK, []string{"in a recent transaction"}},
		}},
		{name: "a scope with terminal control characters", token: func(box *sandbox.Sandbox) string { return box.Token("a\x1b[31m") }, passes: true, rows: []row{
			{"token", doctor.OK, []string{"scopes: a?[31m"}},
		}},
		{name: "no token", token: noToken, passes: true, rows: []row{
			{"token", doctor.Skipped, []string{"no token was given", "PIXGRAPH_TOKEN"}},
			{"service core", doctor.OK, nil},
		}},
		{name: "forward", flags: []string{"--auth-mode=forward", "--auth-issuer=", "--auth-audience="}, passes: true, rows: []row{
			{"issuers", doctor.Warn, []string{"auth_mode is forward", "invented token", "introspection=off"}},
			{"token", doctor.OK, []string{"its form is valid"}},
			{"look up a notification", doctor.OK, []string{"404"}},
		}},
		{name: "forward, without the scope", flags: []string{"--auth-mode=forward", "--auth-issuer=", "--auth-audience="},
			token: func(box *sandbox.Sandbox) string { return box.Token("") }, passes: true, rows: []row{
				{"look up a notification", doctor.Warn, []string{"403", "get_dispatcher"}},
			}},
		{name: "core fails", injectFaults: injectFault(sandbox.Fault{Service: sandbox.Core, Status: 500}), rows: []row{
			{"service core", doctor.Fail, []string{"status 500", "contact its operator"}},
			{"lists", doctor.Skipped, nil},
			{"paging", doctor.Skipped, nil},
			{"links_metadata_pointer", doctor.Skipped, nil},
			{"look up a notification", doctor.OK, nil},
		}},
		{name: "core is slow", flags: []string{"--upstream-timeout=50ms"},
			injectFaults: injectFault(sandbox.Fault{Service: sandbox.Core, Kind: sandbox.FaultHang}), rows: []row{
				{"service core", doctor.Fail, []string{"timeout", "upstream_timeout is 50ms"}},
			}},
		{name: "core is another site", injectFaults: injectFault(sandbox.Fault{Service: sandbox.Core, Kind: sandbox.FaultHTML}), rows: []row{
			{"service core", doctor.Fail, []string{"not from this API", "core_url"}},
		}},
		{name: "core needs no token", injectFaults: injectFault(sandbox.Fault{Service: sandbox.Core, Match: anonymous, Body: []byte(emptyPage)}), rows: []row{
			{"service core", doctor.Fail, []string{"without a token", "every client"}},
			{"list deposits", doctor.OK, nil},
		}},
		{name: "core does not count its records", passes: true, injectFaults: injectFault(sandbox.Fault{
			Service: sandbox.Core, Mutate: func(body []byte) []byte { return counts.ReplaceAll(body, nil) },
		}), rows: []row{
			{"list deposits", doctor.Warn, []string{"20 records, of an unknown number", "totalCount"}},
			{"paging", doctor.OK, []string{"page 2"}},
		}},
		{name: "core requires a scope", config: sandbox.Config{CoreScope: "read_core"}, rows: []row{
			{"list deposits", doctor.Fail, []string{"forbidden", "permission"}},
			{"paging", doctor.Skipped, nil},
		}},
		{name: "core rejects the token", injectFaults: func(_ *testing.T, box *sandbox.Sandbox) {
			box.Inject(sandbox.Fault{Service: sandbox.Core, Status: 401})
		}, rows: []row{{"list deposits", doctor.Fail, []string{"unauthenticated", "audience"}}}},
		{name: "the dispatcher fails", injectFaults: injectFault(sandbox.Fault{Service: sandbox.Dispatcher, Status: 502}), rows: []row{
			{"service dispatcher", doctor.Fail, []string{"status 502"}},
			{"look up a notification", doctor.Skipped, nil},
			{"list deposits", doctor.OK, nil},
			{"links_metadata_pointer", doctor.OK, nil},
		}},
		{name: "the dispatcher responds before it checks the token", passes: true,
			injectFaults: injectFault(sandbox.Fault{Service: sandbox.Dispatcher, Match: anonymous, Status: 404}),
			rows:         []row{{"service dispatcher", doctor.Warn, []string{"not found", "401", "dispatcher_url"}}}},
		{name: "the dispatcher forbids a request that the token allows", injectFaults: injectFault(sandbox.Fault{
			Service: sandbox.Dispatcher, Match: func(r *http.Request) bool { return !anonymous(r) }, Status: 403,
		}), rows: []row{
			{"look up a notification", doctor.Fail, []string{"forbidden", "permission"}},
			{"links_metadata_pointer", doctor.Warn, []string{"cannot be fetched"}},
		}},
		{name: "another page parameter", flags: []string{"--paging-page-param=seite"}, rows: []row{
			{"paging", doctor.Fail, []string{"requested page 2, the API returned page 1", "paging_page_param=seite"}},
		}},
		{name: "another size parameter", flags: []string{"--paging-per-page-param=groesse"}, passes: true, rows: []row{
			{"paging", doctor.Warn, []string{"requested 3 records per page, the API returned 20", "paging_per_page_param=groesse", "first and after"}},
			{"paging", doctor.OK, []string{"fetched page 2 with paging_page_param=page"}},
		}},
		{name: "another size parameter, and no page parameter", flags: []string{"--paging-page-param=", "--paging-per-page-param=groesse"}, passes: true, rows: []row{
			{"paging", doctor.Warn, []string{"set paging_page_param=page"}},
			{"paging", doctor.Warn, []string{"requested 3 records per page, the API returned 20"}},
		}},
		{name: "no paging parameters", flags: []string{"--paging-page-param=", "--paging-per-page-param="}, passes: true, rows: []row{
			{"paging", doctor.Warn, []string{"paging_page_param is not set", "set paging_page_param=page"}},
			{"paging", doctor.Warn, []string{"paging_per_page_param is not set", "set paging_per_page_param=perPage"}},
		}},
		{name: "no page parameter", flags: []string{"--paging-page-param="}, passes: true, rows: []row{
			{"paging", doctor.Warn, []string{"set paging_page_param=page"}},
			{"paging", doctor.OK, []string{"a page of 3 records"}},
		}},
		{name: "paging parameters with uncommon names", config: sandbox.Config{PageParam: "seite", PerPageParam: "groesse"},
			flags: []string{"--paging-page-param=", "--paging-per-page-param="}, passes: true, rows: []row{
				{"paging", doctor.Warn, []string{"accepts none of page, "}},
				{"paging", doctor.Warn, []string{"accepts none of perPage, "}},
			}},
		{name: "an API that claims page 2 and sends page 1", config: sandbox.Config{IgnorePaging: true}, flags: []string{"--paging-per-page-param="},
			injectFaults: injectFault(sandbox.Fault{Match: func(r *http.Request) bool { return r.URL.Query().Get("page") == "2" }, Mutate: func(body []byte) []byte {
				return bytes.Replace(body, []byte(`"currentPage":1`), []byte(`"currentPage":2`), 1)
			}}), rows: []row{{"paging", doctor.Fail, []string{"has the records of page 1"}}}},
		{name: "few records", config: sandbox.Config{Records: 2}, passes: true, rows: []row{
			{"paging", doctor.Skipped, []string{"2 records"}},
		}},
		{name: "another pointer", flags: []string{"--links-metadata-pointer=/nothing/here"}, passes: true, rows: []row{
			{"links_metadata_pointer", doctor.Warn, []string{"finds no ids"}},
		}},
		{name: "no pointer", flags: []string{"--links-metadata-pointer="}, passes: true, rows: []row{
			{"links_metadata_pointer", doctor.Skipped, []string{"is not set"}},
		}},
		{name: "no transactions", injectFaults: injectFault(sandbox.Fault{Route: sandbox.RouteTransaction, Status: 404}), passes: true, rows: []row{
			{"links_metadata_pointer", doctor.Skipped, []string{"no transaction"}},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.examine(t) })
	}
}

func (c testCase) examine(t *testing.T) {
	if c.config.Records == 0 {
		c.config.Records = 50
	}
	c.config.MoveEvery = -1
	box := gatewaytest.StartSandbox(t, c.config)
	if c.injectFaults != nil {
		c.injectFaults(t, box)
	}
	if c.token == nil {
		c.token = func(box *sandbox.Sandbox) string { return box.Token() }
	}
	token := c.token(box)
	report := run(t, gatewaytest.Flags(box, c.flags...), token)
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
		for _, entry := range box.Ledger().Deposits() {
			if strings.Contains(text, entry.ID) {
				t.Errorf("the report contains an id: %s", text)
			}
		}
	}
}

// run runs the doctor with settings, and the network that they describe.
func run(t *testing.T, flags []string, token string) doctor.Report {
	t.Helper()
	s, err := settings.Load(flags, nil)
	if err != nil {
		t.Fatal(err)
	}
	open := func(c egress.Config) *egress.Access {
		access, err := egress.Open(c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(access.Close)
		return access
	}
	core, dispatcher, issuer, redis := open(s.Core), open(s.Dispatcher), open(s.Auth), open(s.Redis)
	tokens := s.Tokens
	tokens.Transport = issuer
	authenticator, err := auth.New(tokens)
	if err != nil {
		t.Fatal(err)
	}
	defer authenticator.Close()
	report, err := doctor.Run(t.Context(), doctor.Config{
		Settings: s, Authenticator: authenticator, Token: token, Core: core, Dispatcher: dispatcher, Issuer: issuer, Redis: redis,
		OpenFiles: 30_000, Memory: 1 << 30, Connect: func(s settings.Settings) (*client.Client, error) {
			config := s.Client
			config.Core, config.Dispatcher = core, dispatcher
			return client.New(config)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return report
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

// TestUnreachable: one service is unreachable, the other is checked.
func TestUnreachable(t *testing.T) {
	testCase{
		name: "no core", flags: []string{"--core-url=http://" + closedPort(t) + "/v1"},
		rows: []row{
			{"service core", doctor.Fail, []string{"refused", "core_url"}},
			{"service dispatcher", doctor.OK, nil},
			{"lists", doctor.Skipped, nil},
			{"look up a notification", doctor.OK, nil},
		},
	}.examine(t)
}

// TestReport: the columns are aligned, hints are below their rows, and the JSON has the same data.
func TestReport(t *testing.T) {
	report := doctor.Report{Checks: []doctor.Check{
		{What: "a", Result: doctor.OK, Detail: "fine"},
		{What: "long", Result: doctor.Fail, Detail: "not <fine>", Hint: "fix it"},
	}}
	got := texts(t, report)
	want := "ok    a     fine\nFAIL  long  not <fine>\n            -> fix it\n\n1 ok, 0 warnings, 1 failed, 0 skipped\n"
	if got[0] != want {
		t.Errorf("table\n%s\nwant\n%s", got[0], want)
	}
	var machine struct {
		Passed bool
		Checks []struct{ Check, Result, Detail, Hint string }
	}
	if err := json.Unmarshal([]byte(got[1]), &machine); err != nil {
		t.Fatal(err)
	}
	if machine.Passed || len(machine.Checks) != 2 || machine.Checks[1].Result != "fail" || machine.Checks[1].Hint != "fix it" {
		t.Errorf("JSON: %s", got[1])
	}
}

// TestClearText: sending tokens over an unencrypted network is a warning, also through a proxy.
func TestClearText(t *testing.T) {
	box := gatewaytest.NewSandbox(t)
	core, err := url.Parse(box.CoreURL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := egresstest.NewProxy(t)
	proxy.Names["core.example.com:80"] = core.Host
	report := run(t, gatewaytest.Flags(box, "--core-url=http://core.example.com"+core.Path, "--core-proxy="+proxy.URL), "")
	expect(t, report, row{"service core", doctor.Warn, []string{"clear text", "https"}})
	if !report.Passed() {
		t.Error("the report has a failure")
	}
}
