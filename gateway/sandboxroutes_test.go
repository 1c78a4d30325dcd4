package gateway_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/gateway"
	"pixgraph/sandbox"
	"pixgraph/test/gatewaytest"
	"pixgraph/test/replica"
)

// TestSandboxRoutes: faults are set at the gateway's address, also by pages of loopback origins; pages from elsewhere
// cannot.
func TestSandboxRoutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startSandbox(t)
		send := func(method, body string, header http.Header) int {
			t.Helper()
			return at(r, r.URL).Send(r.Request(method, "/sandbox/faults", body), header).Status
		}
		const fault = `{"route":"deposit","status":500}`
		if status := send(http.MethodPost, fault, http.Header{"Origin": {"https://example.com"}}); status != http.StatusForbidden {
			t.Errorf("a page from elsewhere: status %d", status)
		}
		r.Query("{ deposits(first: 1) { nodes { id } } }").WantOK()
		if status := send(http.MethodPost, fault, http.Header{"Origin": {"http://localhost:5173"}}); status != http.StatusCreated {
			t.Errorf("status %d", status)
		}
		r.Query("{ deposits(first: 1) { nodes { id } } }").WantError("UPSTREAM_ERROR", "deposits")
		if status := send(http.MethodDelete, "", nil); status != http.StatusNoContent {
			t.Errorf("status %d", status)
		}
		if got := r.Get("/sandbox"); got.Header.Get("X-Frame-Options") != "DENY" || !strings.Contains(string(got.Body), "/faults") {
			t.Errorf("%v %s", got.Header, got.Body)
		}
		if body := string(r.Get("/sandbox/calls").Body); strings.Count(body, `"path":"/core/v1/deposit"`) < 2 || strings.Contains(body, r.Token) {
			t.Errorf("calls %s", body)
		}
	})
}

// TestNoSandbox: a gateway over real APIs has no route of the sandbox, and no GraphiQL if the setting says so. No page
// may use it that cors_origins does not list.
func TestNoSandbox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := replica.NewSandbox(t)
		r := box.Start(t, "--console=off")
		for _, path := range []string{"/", "/sandbox", "/sandbox/", "/sandbox/token", "/sandbox/faults", "/sandbox/issuer/jwks", "/sandbox/issuer/token"} {
			if got := r.Get(path); got.Status != http.StatusNotFound || strings.Contains(string(got.Body), "eyJ") {
				t.Errorf("%s returned %d", path, got.Status)
			}
		}
		r.Token = box.Token()
		got := r.QueryWith(http.Header{"Origin": {"http://localhost:5173"}}, "{ __typename }").WantOK()
		if got.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("a page on loopback may use the gateway: %v", got.Header)
		}
	})
}

// TestSandboxOrigins: pages of loopback origins may use a gateway over its sandbox, and no others.
func TestSandboxOrigins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startSandbox(t)
		for origin, allowed := range map[string]bool{
			"http://localhost:5173": true, "http://localhost": true, "http://127.0.0.1:3000": true, "http://[::1]:5173": true,
			"http://localhost.evil.com:5173": false, "http://evil-localhost": false, "https://example.com": false, "null": false,
			"http://localhost:5173@evil.com": false, "http://127.0.0.1.evil.com": false, "http://192.168.1.5:5173": false,
		} {
			got := r.QueryWith(http.Header{"Origin": {origin}}, "{ __typename }").WantOK().Header.Get("Access-Control-Allow-Origin")
			if (got == origin) != allowed || !allowed && got != "" {
				t.Errorf("%s: allowed origin %q", origin, got)
			}
		}
	})
}

// TestRecentPayments: the sandbox has payments of the last seven days, and an open payment has a valid QR code.
func TestRecentPayments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startSandbox(t)
		now := time.Now().UTC()
		got := r.Query(`query ($from: DateTime!, $to: DateTime!) {
		deposits(filter: { startDate: $from, endDate: $to }) { totalCount }
		withdrawals(filter: { startDate: $from, endDate: $to }) { totalCount }
	}`, gatewaytest.Variables{"from": now.Add(-7 * 24 * time.Hour).Format(time.RFC3339), "to": now.Format(time.RFC3339)}).WantOK()
		for _, field := range []string{"deposits", "withdrawals"} {
			if n, err := got.At(field, "totalCount").(json.Number).Int64(); err != nil || n < 40 || n > 42 {
				t.Errorf("%d %s in seven days, %v", n, field, err)
			}
		}
		var samples struct{ OpenTransaction string }
		if err := json.Unmarshal(r.Get("/sandbox/samples").Body, &samples); err != nil {
			t.Fatal(err)
		}
		got = r.Query(`query ($id: ID!) { transaction(id: $id) { pixResponse { expirationDate } } }`, gatewaytest.Variables{"id": samples.OpenTransaction}).WantOK()
		text := got.Text("transaction", "pixResponse", "expirationDate")
		expires, err := time.Parse(time.DateTime, text)
		if err != nil {
			expires, err = time.Parse(time.RFC3339, text)
		}
		if err != nil || expires.Before(now) {
			t.Errorf("the QR code expires at %s, %v", text, err)
		}
	})
}

// TestReadme: the sandbox responds to the first query of the README as the README shows.
func TestReadme(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := read(t, "../README.md")
		block := func(language string) string {
			t.Helper()
			_, rest, found := strings.Cut(text, "```"+language+"\n")
			if !found {
				t.Fatalf("no %s", language)
			}
			code, _, _ := strings.Cut(rest, "```")
			return code
		}
		id := regexp.MustCompile(`"id": "([0-9a-f-]{36})"`).FindStringSubmatch(text)
		if id == nil {
			t.Fatal("no variable id")
		}
		r := replica.Start(t, gateway.Process{})
		var got, want any
		if err := json.Unmarshal(r.QueryAs(tokenOf(t, r), block("graphql"), gatewaytest.Variables{"id": id[1]}).Body, &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(block("json")), &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("the response is\n%v\nthe README shows\n%v", got, want)
		}
	})
}

// TestSandboxDocs: the commands of docs/sandbox.md are accepted, and there is one for every kind of fault.
func TestSandboxDocs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := replica.Start(t, gateway.Process{})
		text := read(t, "../docs/sandbox.md")
		faults := regexp.MustCompile(`curl localhost:8080(/sandbox/faults) -d '([^']+)'`).FindAllStringSubmatch(text, -1)
		var kinds []sandbox.FaultKind
		for _, fault := range faults {
			curl := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
			if got := r.Send(r.Request(http.MethodPost, fault[1], fault[2]), curl); got.Status != http.StatusCreated {
				t.Errorf("%s: %d %s", fault[2], got.Status, got.Body)
			}
			var form struct{ Kind sandbox.FaultKind }
			if err := json.Unmarshal([]byte(fault[2]), &form); err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, form.Kind)
		}
		for _, kind := range []sandbox.FaultKind{
			sandbox.FaultNone, sandbox.FaultReset, sandbox.FaultResetBody, sandbox.FaultHang, sandbox.FaultHangBody, sandbox.FaultDrip,
			sandbox.FaultTruncate, sandbox.FaultEmpty, sandbox.FaultHTML, sandbox.FaultBadJSON, sandbox.FaultHuge, sandbox.FaultGzipBomb,
			sandbox.FaultRedirect,
		} {
			if !slices.Contains(kinds, kind) {
				t.Errorf("no command for the kind %q", kind)
			}
		}
		webhook := regexp.MustCompile(`curl -d '([^']+)' localhost:8080(/sandbox/webhooks)\n`).FindStringSubmatch(text)
		if got := r.Send(r.Request(http.MethodPost, webhook[2], webhook[1]), nil); got.Status != http.StatusNoContent {
			t.Errorf("%s: %d %s", webhook[0], got.Status, got.Body)
		}
		paths := regexp.MustCompile(`curl -?s? ?"?localhost:8080(/sandbox[a-z0-9/?=&_-]*)`).FindAllStringSubmatch(text, -1)
		if len(paths) < 8 {
			t.Errorf("%d other commands", len(paths))
		}
		for _, path := range paths {
			if got := r.Get(path[1]); got.Status != http.StatusOK {
				t.Errorf("%s: %d %s", path[1], got.Status, got.Body)
			}
		}
	})
}
