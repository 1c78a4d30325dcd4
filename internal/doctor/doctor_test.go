package doctor_test

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"pixgraph/auth"
	"pixgraph/internal/doctor"
	"pixgraph/internal/settings"
	"pixgraph/upstream"
	"pixgraph/upstream/sandbox"
	"pixgraph/upstream/sandbox/issuer"
)

// connect makes a client as main does.
func connect(s settings.Settings) (*upstream.Client, error) {
	return upstream.New(upstream.Config{
		CoreURL: s.CoreURL, DispatcherURL: s.DispatcherURL,
		PageParam: s.PagingPageParam, PerPageParam: s.PagingPerPageParam, Timeout: s.UpstreamTimeout,
	})
}

// row is what a check must have come to, and what its detail and hint must say.
type row struct {
	what   string
	result doctor.Result
	says   []string
}

// patient is a case: what is wrong, and what must be found.
type patient struct {
	name   string
	config sandbox.Config
	flags  []string // settings, later ones replacing those that point at the sandbox
	ail    func(*testing.T, *sandbox.Sandbox)
	token  func(*sandbox.Sandbox) string // nil for a good one
	rows   []row
	passes bool
}

func none(*sandbox.Sandbox) string { return "" }

// closedPort is an address of loopback where nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// inject makes the calls go wrong.
func inject(f sandbox.Fault) func(*testing.T, *sandbox.Sandbox) {
	return func(_ *testing.T, box *sandbox.Sandbox) { box.Inject(f) }
}

func anonymous(r *http.Request) bool { return r.Header.Get("Authorization") == "" }

// TestRun examines gateways with one thing wrong each.
func TestRun(t *testing.T) {
	const emptyPage = `{"total":0,"totalPages":0,"currentPage":1,"perPage":20,"data":[]}`
	minted := func(g issuer.Grant) func(*sandbox.Sandbox) string {
		return func(box *sandbox.Sandbox) string { return box.Issuer().Mint(g) }
	}
	tests := []patient{
		{name: "nothing", passes: true, rows: []row{
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
		{name: "the issuer is down", ail: func(_ *testing.T, box *sandbox.Sandbox) { box.Issuer().SetDown(true) }, rows: []row{
			{"issuer ", doctor.Fail, []string{"discovery: status 503", "auth_issuer"}},
			{"token", doctor.Fail, []string{"cannot be verified", "issuers above"}},
			{"service core", doctor.OK, nil},
		}},
		{name: "another algorithm", flags: []string{"--auth-algorithms=PS512"}, rows: []row{
			{"issuer ", doctor.Fail, []string{"PS512", "auth_algorithms"}},
			{"token", doctor.Fail, []string{"auth_algorithms"}},
		}},
		{name: "another audience", flags: []string{"--auth-audience=somebody-else"}, rows: []row{
			{"token", doctor.Fail, []string{"another audience", "auth_audience"}},
		}},
		{name: "an expired token", token: minted(issuer.Grant{TTL: -time.Hour}), rows: []row{
			{"token", doctor.Fail, []string{"expired", "get a new one"}},
		}},
		{name: "a token that is none", token: func(*sandbox.Sandbox) string { return "c4nary-is-no-token" }, rows: []row{
			{"token", doctor.Fail, []string{"well-formed"}},
		}},
		{name: "a token that ends soon", token: minted(issuer.Grant{TTL: time.Minute, Scopes: []string{"get_dispatcher"}}), passes: true, rows: []row{
			{"token", doctor.Warn, []string{"get another"}},
		}},
		{name: "a token without the scope", token: func(box *sandbox.Sandbox) string { return box.Token("") }, passes: true, rows: []row{
			{"token", doctor.OK, []string{"no scopes"}},
			{"scope get_dispatcher", doctor.Warn, []string{"FORBIDDEN"}},
			{"look up a notification", doctor.OK, []string{"403"}},
			{"links_metadata_pointer", doctor.OK, []string{"in a recent transaction"}},
		}},
		{name: "a scope that steers a terminal", token: func(box *sandbox.Sandbox) string { return box.Token("a\x1b[31m") }, passes: true, rows: []row{
			{"token", doctor.OK, []string{"scopes: a?[31m"}},
		}},
		{name: "no token", token: none, passes: true, rows: []row{
			{"token", doctor.Skipped, []string{"none was given", "PIXGRAPH_TOKEN"}},
			{"service core", doctor.OK, nil},
		}},
		{name: "forward", flags: []string{"--auth-mode=forward", "--auth-issuer=", "--auth-audience="}, passes: true, rows: []row{
			{"issuers", doctor.Skipped, nil},
			{"token", doctor.OK, []string{"its form is right"}},
			{"look up a notification", doctor.OK, []string{"404"}},
		}},
		{name: "forward, without the scope", flags: []string{"--auth-mode=forward", "--auth-issuer=", "--auth-audience="},
			token: func(box *sandbox.Sandbox) string { return box.Token("") }, passes: true, rows: []row{
				{"look up a notification", doctor.Warn, []string{"403", "get_dispatcher"}},
			}},
		{name: "core fails", ail: inject(sandbox.Fault{Service: sandbox.Core, Status: 500}), rows: []row{
			{"service core", doctor.Fail, []string{"status 500", "fails by itself"}},
			{"lists", doctor.Skipped, nil},
			{"paging", doctor.Skipped, nil},
			{"links_metadata_pointer", doctor.Skipped, nil},
			{"look up a notification", doctor.OK, nil},
		}},
		{name: "core is slow", flags: []string{"--upstream-timeout=50ms"}, ail: inject(sandbox.Fault{Service: sandbox.Core, Kind: sandbox.FaultHang}), rows: []row{
			{"service core", doctor.Fail, []string{"timeout", "upstream_timeout is 50ms"}},
		}},
		{name: "core is another site", ail: inject(sandbox.Fault{Service: sandbox.Core, Kind: sandbox.FaultHTML}), rows: []row{
			{"service core", doctor.Fail, []string{"not this API", "core_url"}},
		}},
		{name: "core lets anybody in", ail: inject(sandbox.Fault{Service: sandbox.Core, Match: anonymous, Body: []byte(emptyPage)}), rows: []row{
			{"service core", doctor.Fail, []string{"without a token", "anybody"}},
			{"list deposits", doctor.OK, nil},
		}},
		{name: "core wants more", config: sandbox.Config{CoreScope: "read_core"}, rows: []row{
			{"list deposits", doctor.Fail, []string{"forbidden", "permission"}},
			{"paging", doctor.Skipped, nil},
		}},
		{name: "core refuses the gateway's token", ail: func(_ *testing.T, box *sandbox.Sandbox) {
			box.Inject(sandbox.Fault{Service: sandbox.Core, Status: 401})
		}, rows: []row{{"list deposits", doctor.Fail, []string{"unauthenticated", "audience"}}}},
		{name: "the dispatcher fails", ail: inject(sandbox.Fault{Service: sandbox.Dispatcher, Status: 502}), rows: []row{
			{"service dispatcher", doctor.Fail, []string{"status 502"}},
			{"look up a notification", doctor.Skipped, nil},
			{"list deposits", doctor.OK, nil},
			{"links_metadata_pointer", doctor.OK, nil},
		}},
		{name: "the dispatcher answers before it asks who", ail: inject(sandbox.Fault{Service: sandbox.Dispatcher, Match: anonymous, Status: 404}), passes: true,
			rows: []row{{"service dispatcher", doctor.Warn, []string{"not found", "401", "dispatcher_url"}}}},
		{name: "the dispatcher forbids what the token may", ail: inject(sandbox.Fault{Service: sandbox.Dispatcher, Match: func(r *http.Request) bool { return !anonymous(r) }, Status: 403}), rows: []row{
			{"look up a notification", doctor.Fail, []string{"forbidden", "permission"}},
			{"links_metadata_pointer", doctor.Warn, []string{"cannot be had"}},
		}},
		{name: "another page parameter", flags: []string{"--paging-page-param=seite"}, rows: []row{
			{"paging", doctor.Fail, []string{"asked for page 2, the API answered page 1", "paging_page_param=seite"}},
		}},
		{name: "another size parameter", flags: []string{"--paging-per-page-param=groesse"}, passes: true, rows: []row{
			{"paging", doctor.Warn, []string{"asked for 3 records per page, the API answers 20", "paging_per_page_param=groesse", "first and after"}},
			{"paging", doctor.OK, []string{"page 2 was had, with paging_page_param=page"}},
		}},
		{name: "another size parameter, and no page parameter", flags: []string{"--paging-page-param=", "--paging-per-page-param=groesse"}, passes: true, rows: []row{
			{"paging", doctor.Warn, []string{"set paging_page_param=page"}},
			{"paging", doctor.Warn, []string{"asked for 3 records per page, the API answers 20"}},
		}},
		{name: "no paging parameters", flags: []string{"--paging-page-param=", "--paging-per-page-param="}, passes: true, rows: []row{
			{"paging", doctor.Warn, []string{"paging_page_param is not set", "set paging_page_param=page"}},
			{"paging", doctor.Warn, []string{"paging_per_page_param is not set", "set paging_per_page_param=perPage"}},
		}},
		{name: "no page parameter", flags: []string{"--paging-page-param="}, passes: true, rows: []row{
			{"paging", doctor.Warn, []string{"set paging_page_param=page"}},
			{"paging", doctor.OK, []string{"a page of 3 records"}},
		}},
		{name: "paging parameters of unheard-of names", config: sandbox.Config{PageParam: "seite", PerPageParam: "groesse"},
			flags: []string{"--paging-page-param=", "--paging-per-page-param="}, passes: true, rows: []row{
				{"paging", doctor.Warn, []string{"understands none of page, "}},
				{"paging", doctor.Warn, []string{"understands none of perPage, "}},
			}},
		{name: "an API that says page 2 and sends page 1", config: sandbox.Config{IgnorePaging: true}, flags: []string{"--paging-per-page-param="},
			ail: inject(sandbox.Fault{Match: func(r *http.Request) bool { return r.URL.Query().Get("page") == "2" }, Mutate: func(body []byte) []byte {
				return bytes.Replace(body, []byte(`"currentPage":1`), []byte(`"currentPage":2`), 1)
			}}), rows: []row{{"paging", doctor.Fail, []string{"has the records of page 1"}}}},
		{name: "few records", config: sandbox.Config{Records: 2}, passes: true, rows: []row{
			{"paging", doctor.Skipped, []string{"2 records"}},
		}},
		{name: "another pointer", flags: []string{"--links-metadata-pointer=/nothing/here"}, passes: true, rows: []row{
			{"links_metadata_pointer", doctor.Warn, []string{"leads to no ids"}},
		}},
		{name: "no pointer", flags: []string{"--links-metadata-pointer="}, passes: true, rows: []row{
			{"links_metadata_pointer", doctor.Skipped, []string{"is not set"}},
		}},
		{name: "no transactions", ail: inject(sandbox.Fault{Route: sandbox.RouteTransaction, Status: 404}), passes: true, rows: []row{
			{"links_metadata_pointer", doctor.Skipped, []string{"no transaction"}},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.examine(t) })
	}
}

func (p patient) examine(t *testing.T) {
	if p.config.Records == 0 {
		p.config.Records = 50
	}
	p.config.MoveEvery = -1
	box, err := sandbox.Start(p.config)
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	if p.ail != nil {
		p.ail(t, box)
	}
	if p.token == nil {
		p.token = func(box *sandbox.Sandbox) string { return box.Token() }
	}
	token := p.token(box)
	report := run(t, load(t, box, p.flags), token)
	p.check(t, report)
	for _, text := range texts(t, report) {
		for _, secret := range append(strings.Split(token, "."), issuer.DefaultSubject) {
			if len(secret) > 8 && strings.Contains(text, secret) {
				t.Errorf("a part of the token is in %s", text)
			}
		}
		for _, entry := range box.Ledger().Deposits() {
			if strings.Contains(text, entry.ID) {
				t.Errorf("an id is in %s", text)
			}
		}
	}
}

// load reads settings that point at the sandbox, with those of the case in their place.
func load(t *testing.T, box *sandbox.Sandbox, flags []string) settings.Settings {
	t.Helper()
	values := map[string]string{
		"core-url": box.CoreURL(), "dispatcher-url": box.DispatcherURL(), "auth-issuer": box.IssuerURL(), "auth-audience": box.Audience(),
		"paging-page-param": "page", "paging-per-page-param": "perPage", "links-metadata-pointer": "/notificationIds",
	}
	for _, flag := range flags {
		key, value, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
		values[key] = value
	}
	var args []string
	for key, value := range values {
		args = append(args, "--"+key+"="+value)
	}
	s, err := settings.Load(args, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func run(t *testing.T, s settings.Settings, token string) doctor.Report {
	t.Helper()
	authenticator, err := auth.New(auth.Config{
		Mode: auth.Mode(s.AuthMode), Issuers: s.AuthIssuers, Audiences: s.AuthAudiences, Algorithms: s.AuthAlgorithms, Leeway: s.AuthLeeway,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer authenticator.Close()
	report, err := doctor.Run(t.Context(), doctor.Config{Settings: s, Authenticator: authenticator, Connect: connect, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// check looks for the rows, and for the verdict. Without a failure that is expected there is none.
func (p patient) check(t *testing.T, report doctor.Report) {
	t.Helper()
	for _, want := range p.rows {
		if !found(report, want) {
			t.Errorf("no row %q with %s that says %q in\n%s", want.what, want.result, want.says, texts(t, report)[0])
		}
	}
	if report.Passed() != p.passes {
		t.Errorf("passed %t:\n%s", report.Passed(), texts(t, report)[0])
	}
}

func found(report doctor.Report, want row) bool {
	for _, c := range report.Checks {
		if !strings.HasPrefix(c.What, want.what) || c.Result != want.result {
			continue
		}
		all := true
		for _, text := range want.says {
			all = all && strings.Contains(c.Detail+" "+c.Hint, text)
		}
		if all {
			return true
		}
	}
	return false
}

// texts are the report for people and for machines.
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

// TestUnreachable: a service that is not there, beside one that is.
func TestUnreachable(t *testing.T) {
	patient{
		name: "no core", flags: []string{"--core-url=http://" + closedPort(t) + "/v1"},
		rows: []row{
			{"service core", doctor.Fail, []string{"refused", "core_url"}},
			{"service dispatcher", doctor.OK, nil},
			{"lists", doctor.Skipped, nil},
			{"look up a notification", doctor.OK, nil},
		},
	}.examine(t)
}

// TestReport: rows stand below each other, hints below their rows; machines get the same.
func TestReport(t *testing.T) {
	report := doctor.Report{Checks: []doctor.Check{
		{What: "a", Result: doctor.OK, Detail: "fine"},
		{What: "long", Result: doctor.Fail, Detail: "not <fine>", Hint: "mend it"},
	}}
	got := texts(t, report)
	want := "ok    a     fine\nFAIL  long  not <fine>\n            -> mend it\n\n1 ok, 0 warnings, 1 failed, 0 skipped\n"
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
	if machine.Passed || len(machine.Checks) != 2 || machine.Checks[1].Result != "fail" || machine.Checks[1].Hint != "mend it" {
		t.Errorf("for machines: %s", got[1])
	}
}

// TestClearText: tokens that would cross a network unencrypted are worth a warning.
func TestClearText(t *testing.T) {
	box, err := sandbox.Start(sandbox.Config{Records: 50, MoveEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	s := load(t, box, nil)
	authenticator, err := auth.New(auth.Config{Issuers: s.AuthIssuers, Audiences: s.AuthAudiences})
	if err != nil {
		t.Fatal(err)
	}
	defer authenticator.Close()
	there := s.CoreURL
	s.CoreURL = "http://core.example.com/v1"
	report, err := doctor.Run(t.Context(), doctor.Config{Settings: s, Authenticator: authenticator, Connect: func(s settings.Settings) (*upstream.Client, error) {
		s.CoreURL = there // the name stands for a host that resolves to it
		return connect(s)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !found(report, row{"service core", doctor.Warn, []string{"clear text", "https"}}) || !report.Passed() {
		t.Errorf("the report is\n%s", texts(t, report)[0])
	}
}
