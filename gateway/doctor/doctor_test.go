package doctor_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"testing"
	"time"

	"pixgraph/gateway/doctor"
	"pixgraph/internal/egress/egresstest"
	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
)

func noToken(*sandbox.Sandbox) string { return "" }

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
		{name: "a key for no signature", injectFaults: func(_ *testing.T, box *sandbox.Sandbox) {
			box.Issuer().Override(issuer.PathJWKS, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte(`{"keys":[{"kty":"EC","crv":"P-256","alg":"ECDH-ES","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",` +
					`"y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}`))
			}))
		}, rows: []row{
			{"issuer ", doctor.Fail, []string{"1 key, for no algorithm of signatures", "must publish"}},
			{"token", doctor.Fail, []string{"does not publish that key"}},
		}},
		{name: "another audience", flags: []string{"--auth-audience=other-audience"}, rows: []row{
			{"token", doctor.Fail, []string{"audience not accepted: its aud is pixgraph-sandbox", "auth_audience"}},
			{"scope get_dispatcher", doctor.Skipped, nil},
			{"lists", doctor.Skipped, []string{"needs a token that is accepted"}},
			{"read for a stream", doctor.Skipped, nil},
			{"look up a notification", doctor.Skipped, nil},
			{"paging", doctor.Skipped, nil},
			{"links_metadata_pointer", doctor.Skipped, nil},
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
		t.Run(tt.name, tt.examine)
	}
}

// TestUnreachable: one service is unreachable, the other is checked.
func TestUnreachable(t *testing.T) {
	bubble(t, func(s *site) {
		expect(s.T, s.run(s.box.Token(), "--core-url=http://"+s.closedPort()+"/v1"),
			row{"service core", doctor.Fail, []string{"refused", "core_url"}},
			row{"service dispatcher", doctor.OK, nil},
			row{"lists", doctor.Skipped, nil},
			row{"look up a notification", doctor.OK, nil})
	})
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
	bubble(t, func(s *site) {
		core, err := url.Parse(s.box.CoreURL())
		if err != nil {
			s.Fatal(err)
		}
		proxy := egresstest.NewProxy(s, &s.Network)
		proxy.Names["core.example.com:80"] = core.Host
		report := s.run("", "--core-url=http://core.example.com"+core.Path, "--core-proxy="+proxy.URL)
		expect(s.T, report, row{"service core", doctor.Warn, []string{"clear text", "https"}})
		if !report.Passed() {
			s.Error("the report has a failure")
		}
	})
}
