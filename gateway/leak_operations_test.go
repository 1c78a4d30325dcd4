package gateway_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
	"pixgraph/test/replica"
)

// The operations of TestLeaks: operations that read all data of the sandbox, and operations that are refused.

const (
	leakParty = `{ name document pix { key } }`
	leakLists = `query Lists {
		deposits(perPage: 20) { nodes { id externalCode endToEnd payer ` + leakParty + ` receiver ` + leakParty + ` pixResponse { uri } } }
		withdrawals(perPage: 20) { nodes { id externalCode endToEnd pixKey { key } payer ` + leakParty + ` receiver ` + leakParty + ` } } }`
	leakLinks = `query Links($id: ID!) { transaction(id: $id) { id customer { name ip email { value raw } document { value } landline { raw } mobilePhone { raw } }
		seller { name document { value } } address { street zipCode } metadata notifications {
			nodes { url hash body executions { url headers response { body } } transaction { id } } links { state } } } }`
	leakFilter = `query Filter($key: String, $code: String, $end: String) {
		withdrawals(filter: {pixKey: $key, externalCode: $code, endToEnd: $end}) { nodes { id } } }`
	leakWindow = `query Window($after: String) {
		deposits(first: 3, after: $after) { nodes { payer { name document } } edges { cursor } pageInfo { endCursor } } }`
	// Two operations: goroutines that wait for the same record wait for a mutex, which stops the clock of a bubble.
	leakTransactions  = `query Transactions($ids: [ID!]!) { transactions(ids: $ids) { id customer { name } } }`
	leakNotifications = `query Notifications($ids: [ID!]!) {
		notifications(ids: $ids) { id body transaction { id customer { name } } withdrawal { id } } }`
)

// post sends an operation with variables.
func (l *leakSearch) post(token, document string, variables map[string]any) (data json.RawMessage) {
	l.t.Helper()
	body, err := json.Marshal(map[string]any{"query": document, "variables": variables})
	if err != nil {
		l.t.Fatal(err)
	}
	return l.send(token, string(body))
}

// send sends any body with any token.
func (l *leakSearch) send(token, body string) (data json.RawMessage) {
	l.t.Helper()
	req := l.newRequest(http.MethodPost, "/graphql", token, body)
	req.Header.Set("X-Pixgraph-Trace", "1")
	req.Header.Set("X-Pixgraph-Cost", "1")
	return l.ask(req)
}

// sendOperations sends valid and failing operations that read the data of the sandbox.
func (l *leakSearch) sendOperations(token string) {
	l.t.Helper()
	samples := l.box.Samples()
	l.post(token, leakLists, nil)
	l.post(token, leakLinks, map[string]any{"id": samples.Transaction})
	l.post(token, leakTransactions, map[string]any{"ids": []string{samples.Transaction, samples.UnknownTransaction, "no-id"}})
	l.post(token, leakNotifications, map[string]any{"ids": []string{l.box.Ledger().Notifications()[0].ID, samples.UnknownTransaction, "no id"}})
	for _, w := range l.box.Ledger().Withdrawals()[:3] {
		l.post(token, leakFilter, map[string]any{
			"key": nonEmpty(w.Text("pixKey.key")), "code": nonEmpty(w.Text("externalCode")), "end": nonEmpty(w.Text("endToEnd")),
		})
	}
	var page struct {
		Deposits struct{ PageInfo struct{ EndCursor string } }
	}
	if data := l.post(token, leakWindow, nil); json.Unmarshal(data, &page) == nil {
		l.post(token, leakWindow, map[string]any{"after": page.Deposits.PageInfo.EndCursor})
	}
	l.persist(token, `{ transaction(id: "`+samples.Transaction+`") { customer { name email { value } } } }`)
}

// persist registers a document by its hash, and then requests it with GET.
func (l *leakSearch) persist(token, document string) {
	l.t.Helper()
	sum := sha256.Sum256([]byte(document))
	extensions := `{"persistedQuery":{"version":1,"sha256Hash":"` + hex.EncodeToString(sum[:]) + `"}}`
	quoted, err := json.Marshal(document)
	if err != nil {
		l.t.Fatal(err)
	}
	l.send(token, `{"query":`+string(quoted)+`,"extensions":`+extensions+`}`)
	l.ask(l.newRequest(http.MethodGet, "/graphql?extensions="+url.QueryEscape(extensions), token, ""))
}

func nonEmpty(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// sendRefused sends operations that are refused. Each contains a secret in a place that an error message could repeat.
// Error messages do repeat names, so a secret is never in the place of a name.
func (l *leakSearch) sendRefused(token string, sample secrets) {
	l.t.Helper()
	for secret, member := range sample {
		quoted, err := json.Marshal(secret)
		if err != nil {
			l.t.Fatal(err)
		}
		text := string(quoted)
		for _, document := range []string{
			`{ transaction(id: ` + text + `) { id } }`,
			`{ notification(id: ` + text + `) { id } }`,
			`{ notifications(ids: [` + text + `]) { id } }`,
			`{ withdrawals(filter: {pixKey: ` + text + `, startDate: ` + text + `}) { nodes { id } } }`,
			`{ withdrawals(filter: {status: ` + text + `}) { nodes { id } } }`,
			`{ withdrawals(filter: {nothing: ` + text + `}) { nodes { id } } }`,
			`{ deposits(after: ` + text + `) { nodes { id } } }`,
			`{ deposits(first: ` + text + `) { nodes { id } } }`,
			`{ deposits(perPage: 1, name: ` + text + `) { nodes { id } } }`,
			`{ deposits @include(if: ` + text + `) { nodes { id } } }`,
			`{ deposits { ` + text + ` } }`,
			`{ __type(name: ` + text + `) { name } }`,
			`mutation { change(id: ` + text + `) }`,
			`subscription { events(id: ` + text + `) }`,
			`query Q($a: String = ` + text + `) { deposits { totalCount } }`,
		} {
			l.post(token, document, nil)
		}
		l.post(token, leakFilter, map[string]any{"key": []any{secret}, "code": map[string]any{member: secret}, "end": secret + "\n"})
		l.post(token, `query Q($f: WithdrawalFilter) { withdrawals(filter: $f) { nodes { id } } }`,
			map[string]any{"f": map[string]any{secret + "?": secret}})
		l.persist(token, `query Q { __typename } # `+secret)
		for _, body := range []string{
			text, `[{"query":` + text + `}]`, `{` + text + `:` + text + `}`,
			`{"query":` + text + `,"operationName":` + text + `}`,
			`{"query":"query Q { __typename }","operationName":` + text + `}`,
			`{"query":"{ __typename }","variables":` + text + `}`,
			`{"query":"{ __typename }","documentId":` + text + `}`,
			`{"query":"{ __typename }","extensions":{"persistedQuery":{"version":1,"sha256Hash":` + text + `}}}`,
			`{"query":"{ __typename }" ` + text,
		} {
			l.send(token, body)
		}
		l.send(secret, `{"query":"{ __typename }"}`)
	}
}

// leakTokens are valid and invalid tokens.
func leakTokens(box *replica.Sandbox, other *sandbox.Sandbox) []string {
	good := box.Token()
	return []string{
		good, box.Token(""), other.Token(), good + "x", good[:len(good)-8] + "AAAAAAAA",
		box.Issuer().Mint(issuer.Grant{TTL: -time.Hour}), box.Issuer().Mint(issuer.Grant{Audience: []string{"another-audience"}}),
		box.Issuer().Sign(map[string]any{"kid": "nobody-knows-this"},
			map[string]any{"iss": box.IssuerURL(), "aud": box.Audience(), "sub": "carvalho-raimundo", "exp": 9999999999}),
		box.Issuer().Sign(map[string]any{"alg": "HS256"}, map[string]any{"iss": box.IssuerURL()}),
		box.Issuer().Mint(issuer.Grant{Subject: "somebody@example.com", Claims: map[string]any{"name": "Raimundo Carvalho", "exp": "tomorrow-morning"}}),
	}
}

// sampleOf has one value of each member except the tokens.
func sampleOf(all secrets) secrets {
	sample := secrets{}
	members := map[string]string{}
	for text, member := range all {
		if before, ok := members[member]; !ok || text < before { // the same in each run
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
