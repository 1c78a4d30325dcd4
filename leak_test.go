package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"pixgraph/upstream/sandbox"
	"pixgraph/upstream/sandbox/issuer"
)

// What nobody but its caller may read: the personal data of every record of the sandbox, and the tokens. TestLeaks has
// real gateways answer, fail and refuse in every way, with all of it at hand, and searches what they wrote and counted and
// what their errors say.

// leakSearch is a run: what is searched for, and what has been seen of it where it may be.
type leakSearch struct {
	t       *testing.T
	box     *sandbox.Sandbox
	secrets secrets
	tokens  []string

	answers, errors int             // of operations; those among them with errors
	data            map[string]bool // the members that were in data, where they belong
}

// ask sends a request and searches everything of its answer but the data.
func (l *leakSearch) ask(req *http.Request) {
	l.t.Helper()
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		l.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	l.answers++
	rest := body
	var answer map[string]json.RawMessage
	if json.Unmarshal(body, &answer) == nil {
		for _, member := range l.secrets.in(string(answer["data"])) {
			l.data[member] = true
		}
		delete(answer, "data")
		if answer["errors"] != nil {
			l.errors++
		}
		if rest, err = json.Marshal(answer); err != nil {
			l.t.Fatal(err)
		}
	}
	l.search("an answer", string(rest)+" "+decoded(rest)+fmt.Sprint(resp.Header))
}

// decoded undoes the escapes of JSON, so that a text is found however it is written.
func decoded(text []byte) string {
	var value any
	if json.Unmarshal(text, &value) != nil {
		return ""
	}
	return fmt.Sprint(value)
}

func (l *leakSearch) search(where, text string) {
	l.t.Helper()
	if found := l.secrets.in(text); len(found) > 0 {
		l.t.Errorf("%s has %v: %.400s", where, found, text)
	}
}

// post is an operation with variables.
func (l *leakSearch) post(r *running, token, document string, variables map[string]any) {
	l.t.Helper()
	body, err := json.Marshal(map[string]any{"query": document, "variables": variables})
	if err != nil {
		l.t.Fatal(err)
	}
	l.send(r, token, string(body))
}

// send is a body of any kind, under a token of any kind.
func (l *leakSearch) send(r *running, token, body string) {
	l.t.Helper()
	req, err := http.NewRequest(http.MethodPost, "http://"+r.at.public+"/graphql", strings.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Pixgraph-Trace", "1")
	l.ask(req)
}

const (
	leakParty = `{ name document pix { key } }`
	leakLists = `query Lists { deposits(perPage: 20) { nodes { id externalCode endToEnd payer ` + leakParty + ` receiver ` + leakParty + ` pixResponse { uri } } }
		withdrawals(perPage: 20) { nodes { id externalCode endToEnd pixKey { key } payer ` + leakParty + ` receiver ` + leakParty + ` } } }`
	leakLinks = `query Links($id: ID!) { transaction(id: $id) { id customer { name ip email { value raw } document { value } landline { raw } mobilePhone { raw } }
		seller { name document { value } } address { street zipCode } metadata notifications { nodes { url hash body executions { url headers response { body } } } links { state } } } }`
	leakFilter = `query Filter($key: String, $code: String, $end: String) { withdrawals(filter: {pixKey: $key, externalCode: $code, endToEnd: $end}) { nodes { id } } }`
)

// operate sends good and bad operations with the data of the sandbox in them.
func (l *leakSearch) operate(r *running, token string) {
	l.t.Helper()
	l.post(r, token, leakLists, nil)
	l.post(r, token, leakLinks, map[string]any{"id": l.box.Samples().Transaction})
	for _, w := range l.box.Ledger().Withdrawals()[:3] {
		l.post(r, token, leakFilter, map[string]any{"key": nonEmpty(w.PixKey), "code": nonEmpty(w.ExternalCode), "end": nonEmpty(w.EndToEnd)})
	}
}

func nonEmpty(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// refuse sends what is refused, each with a secret where a careless message would repeat it.
func (l *leakSearch) refuse(r *running, token string) {
	l.t.Helper()
	for secret, member := range sampleOf(l.secrets) {
		quoted, err := json.Marshal(secret)
		if err != nil {
			l.t.Fatal(err)
		}
		text := string(quoted)
		for _, document := range []string{
			`{ transaction(id: ` + text + `) { id } }`,
			`{ notification(id: ` + text + `) { id } }`,
			`{ withdrawals(filter: {pixKey: ` + text + `, startDate: ` + text + `}) { nodes { id } } }`,
			`{ withdrawals(filter: {status: ` + text + `}) { nodes { id } } }`,
			`{ deposits(after: ` + text + `) { nodes { id } } }`,
			`{ deposits(first: ` + text + `) { nodes { id } } }`,
			`{ deposits(perPage: 1, name: ` + text + `) { nodes { id } } }`,
			`{ deposits @include(if: ` + text + `) { nodes { id } } }`,
			`{ deposits { ` + text + ` } }`,
		} {
			l.post(r, token, document, nil)
		}
		l.post(r, token, leakFilter, map[string]any{"key": []any{secret}, "code": map[string]any{member: secret}, "end": secret + "\n"})
		l.send(r, token, text)
		l.send(r, token, `{"query":`+text+`,"operationName":`+text+`}`)
		l.send(r, token, `{"query":"{ __typename }","variables":`+text+`}`)
		l.send(r, token, `{"query":"{ __typename }","extensions":{"persistedQuery":{"version":1,"sha256Hash":`+text+`}}}`)
		l.send(r, token, `{"query":"{ __typename }" `+text)
		l.send(r, secret, `{"query":"{ __typename }"}`)
		req, err := http.NewRequest(http.MethodGet, "http://"+r.at.public+"/graphql?query="+url.QueryEscape("{ __typename }")+"&variables="+url.QueryEscape(text)+"&"+url.QueryEscape(secret), nil)
		if err != nil {
			l.t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("X-Request-Id", url.QueryEscape(secret)+"/")
		req.Header.Set("Apollographql-Client-Name", url.QueryEscape(secret)+"@")
		l.ask(req)
	}
}

// sampleOf is one text of each member.
func sampleOf(all secrets) secrets {
	sample := secrets{}
	members := map[string]string{}
	for text, member := range all {
		if before, ok := members[member]; !ok || text < before { // the same at each run
			members[member] = text
		}
	}
	for member, text := range members {
		if member != "token" {
			sample[text] = member
		}
	}
	return sample
}

// leakTokens are good and bad ones.
func leakTokens(box, other *sandbox.Sandbox) []string {
	good := box.Token()
	return []string{
		good, box.Token(""), other.Token(), good + "x", good[:len(good)-8] + "AAAAAAAA",
		box.Issuer().Mint(issuer.Grant{TTL: -time.Hour}), box.Issuer().Mint(issuer.Grant{Audience: []string{"another-audience"}}),
		box.Issuer().Sign(map[string]any{"kid": "nobody-knows-this"}, map[string]any{"iss": box.IssuerURL(), "aud": box.Audience(), "sub": "carvalho-raimundo", "exp": 9999999999}),
		box.Issuer().Sign(map[string]any{"alg": "HS256"}, map[string]any{"iss": box.IssuerURL()}),
		box.Issuer().Mint(issuer.Grant{Subject: "somebody@example.com", Claims: map[string]any{"name": "Raimundo Carvalho", "exp": "tomorrow-morning"}}),
	}
}

// leakFaults are answers that bring real records, in bodies and headers, where errors belong.
func leakFaults(box *sandbox.Sandbox) map[string]sandbox.Fault {
	record := box.Ledger().Transactions()[0].JSON()
	faults := map[string]sandbox.Fault{
		"broken members": {Mutate: func(body []byte) []byte {
			return bytes.ReplaceAll(bytes.ReplaceAll(body, []byte(`"amount":`), []byte(`"amount":"12.5", "amount_":`)), []byte(`"status":"`), []byte(`"status":"Raimundo `))
		}},
		"numbers for texts": {Mutate: func(body []byte) []byte {
			return bytes.ReplaceAll(bytes.ReplaceAll(body, []byte(`"name":"`), []byte(`"name":1,"name_":"`)), []byte(`"id":"`), []byte(`"id":"x`))
		}},
		"objects for texts": {Mutate: func(body []byte) []byte {
			return bytes.ReplaceAll(body, []byte(`"createdAt":"`), []byte(`"createdAt":{},"x":"`))
		}},
		"a record for another": {Body: record},
		"a redirect":           {Kind: sandbox.FaultRedirect, Location: "http://127.0.0.1:1/?owner=" + url.QueryEscape("Raimundo Carvalho")},
	}
	for _, kind := range []sandbox.FaultKind{
		sandbox.FaultReset, sandbox.FaultResetBody, sandbox.FaultTruncate, sandbox.FaultEmpty, sandbox.FaultHTML, sandbox.FaultBadJSON,
	} {
		faults[string(kind)] = sandbox.Fault{Kind: kind}
	}
	for _, status := range []int{301, 400, 401, 403, 404, 409, 418, 422, 429, 500, 502, 503, 504} {
		faults[fmt.Sprint(status)] = sandbox.Fault{
			Status: status, Body: record,
			Header: http.Header{"X-Owner": {string(record[:200])}, "Retry-After": {"Raimundo Carvalho"}, "Www-Authenticate": {"Raimundo Carvalho"}},
		}
	}
	return faults
}

// TestLeaks: neither logs, metrics, the first screen nor anything of an answer but its data hold personal data or tokens.
func TestLeaks(t *testing.T) {
	box := newSandbox(t)
	l := &leakSearch{t: t, box: box, secrets: secretsOf(t, box), tokens: leakTokens(box, newSandbox(t)), data: map[string]bool{}}
	if len(l.secrets) < 1000 {
		t.Fatalf("only %d texts to search for", len(l.secrets))
	}
	for _, token := range l.tokens {
		l.secrets.addToken(token)
	}
	flags := append(overSandbox(box), "--log-level=debug", "--log-one-in=1", "--trace=on", "--upstream-timeout=5s")

	t.Run("operations and refusals", func(t *testing.T) {
		l.t = t
		r := launch(t, flags...)
		for _, token := range l.tokens {
			l.operate(r, token)
		}
		l.refuse(r, l.tokens[0])
		l.end(r)
	})
	t.Run("without the fast path", func(t *testing.T) {
		l.t = t
		r := launch(t, append(flags, "--fast-path=off")...)
		l.operate(r, l.tokens[0])
		l.end(r)
	})
	for name, fault := range leakFaults(box) {
		t.Run(name, func(t *testing.T) { // each by a gateway of its own, whose breakers are closed
			l.t = t
			defer box.Inject(fault)()
			r := launch(t, flags...)
			l.operate(r, l.tokens[0])
			l.end(r)
		})
	}
	l.t = t
	for _, member := range []string{"name", "document", "value", "email", "key", "uri", "endToEnd", "externalCode", "street"} {
		if !l.data[member] {
			t.Errorf("no %s was in any data, so nothing could leak", member)
		}
	}
	if l.answers < 300 || l.errors < 200 {
		t.Errorf("%d answers, %d of them with errors", l.answers, l.errors)
	}
}

// end stops a gateway and searches all that it wrote, and what its admin address shows.
func (l *leakSearch) end(r *running) {
	l.t.Helper()
	for _, path := range []string{"/metrics", "/readyz", "/healthz"} {
		_, text := fetch(l.t, "http://"+r.at.admin+path)
		l.search(path, text)
	}
	r.stop()
	err := <-r.done
	r.done <- err
	log := r.stderr.String()
	if strings.Count(log, `"msg":"operation"`) < 3 {
		l.t.Errorf("the log has not every operation: %s", log)
	}
	for line := range strings.Lines(log) {
		l.search("the log", line+decoded([]byte(line)))
	}
	l.search("the first screen", r.stdout.String())
}
