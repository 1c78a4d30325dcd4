package hostile

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/sandbox/issuer"
)

// bearing sends a normal query with a token that is created for the gateway. The response must not contain any part of
// the token.
func bearing(token func(*testing.T, *gateway) string) request {
	return func(t *testing.T, g *gateway) reply {
		t.Helper()
		sent := token(t, g)
		got := post(good, "Authorization: Bearer "+sent)(t, g)
		for part := range strings.SplitSeq(sent, ".") {
			if len(part) > 20 && (strings.Contains(got.body, part) || strings.Contains(got.head, part)) {
				t.Errorf("the response contains part of the token: %s%s", got.head, got.body)
			}
		}
		return got
	}
}

// claims are those of a valid token, with changes; a nil value removes a claim.
func claims(g *gateway, change map[string]any) map[string]any {
	now := time.Now().Unix()
	all := map[string]any{
		"iss": g.box.IssuerURL(), "aud": g.box.Audience(), "sub": "someone", "iat": now, "nbf": now, "exp": now + 3600, "scope": "get_dispatcher",
	}
	maps.Copy(all, change)
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
	return all
}

// signed is a token with the issuer's own signature, a changed header and changed claims.
func signed(header, change map[string]any) request {
	return bearing(func(_ *testing.T, g *gateway) string { return g.box.Issuer().Sign(header, claims(g, change)) })
}

// forged is a token that another key signs, whose header may refer to that key; <there> is replaced by its address.
func forged(header map[string]any) request {
	return bearing(func(t *testing.T, g *gateway) string {
		attacker, err := issuer.New(issuer.Config{URL: g.box.IssuerURL(), Audience: g.box.Audience()})
		must(t, err)
		var asked atomic.Int32
		there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			attacker.ServeHTTP(w, r)
		}))
		t.Cleanup(func() {
			there.Close()
			if asked.Load() > 0 {
				t.Error("the gateway requested a URL from a token")
			}
		})
		key := attacker.KeySet().Keys[0]
		full := map[string]any{"kid": g.box.Issuer().KeySet().Keys[0].KeyID}
		for name, value := range header {
			switch value {
			case "<jwk>":
				value = key
			case "<kid>":
				value = key.KeyID
			case "<there>":
				value = there.URL + issuer.PathJWKS
			}
			full[name] = value
		}
		return attacker.Sign(full, claims(g, nil))
	})
}

// symmetric is a token with HS256 and a secret.
func symmetric(secret string) request {
	return bearing(func(t *testing.T, g *gateway) string {
		header := object{"alg": "HS256", "typ": "JWT", "kid": g.box.Issuer().KeySet().Keys[0].KeyID}
		signing := segment(t, header) + "." + segment(t, claims(g, nil))
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(signing))
		return signing + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	})
}

func segment(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	must(t, err)
	return base64.RawURLEncoding.EncodeToString(text)
}

// changed is the valid token with a changed text.
func changed(change func(header, payload, signature string) string) request {
	return bearing(func(_ *testing.T, g *gateway) string {
		parts := strings.Split(g.token, ".")
		return change(parts[0], parts[1], parts[2])
	})
}

// object is a part of a header or of claims.
type object = map[string]any

// tokens must all be refused: forged ones, and those that could be echoed, that cost much, and that
// TestTokensUnderAttack of package auth lacks.
func tokens() []row {
	now := time.Now().Unix()
	encoded := base64.RawURLEncoding.EncodeToString
	var rows []row
	for _, tt := range []struct {
		name string
		send request
	}{
		{"alg none, signed", signed(object{"alg": "none"}, nil)}, {"alg a list", signed(object{"alg": []string{"ES256"}}, nil)},
		{"alg HS256, signed by the key", signed(object{"alg": "HS256"}, nil)},
		{"alg of 10 KB", signed(object{"alg": strings.Repeat("A", 7_000)}, nil)},
		{"alg nOnE, unsigned", changed(func(_, p, _ string) string { return encoded([]byte(`{"alg":"nOnE","typ":"JWT"}`)) + "." + p + "." })},
		{"a kid as a list", signed(object{"kid": []string{"a"}}, nil)},
		{"another key with the known kid", forged(nil)}, {"another key as jwk", forged(object{"jwk": "<jwk>"})},
		{"a typ that is a number", signed(object{"typ": 1}, nil)},
		{"another payload", changed(func(h, _, s string) string { return h + "." + encoded([]byte(`{"sub":"admin"}`)) + "." + s })},
		{"half a signature", changed(func(h, p, s string) string { return h + "." + p + "." + s[:40] })},
		{"a thousand parts", changed(func(string, string, string) string { return strings.Repeat("a.", 1_000) })},
		{"dots", changed(func(string, string, string) string { return "..." })},
		{"a payload that is not JSON", changed(func(h, _, s string) string { return h + "." + encoded([]byte(echo)) + "." + s })},
		{"expired", signed(nil, object{"exp": now - 120})}, {"nbf a string", signed(nil, object{"nbf": "now"})},
		{"another issuer", signed(nil, object{"iss": "https://evil.example"})}, {"iss a list", signed(nil, object{"iss": []string{"a"}})},
		{"another audience", signed(nil, object{"aud": "somewhere else"})}, {"aud an object", signed(nil, object{"aud": object{"a": 1}})},
		{"claims of 10 KB", signed(nil, object{"sub": nil, "x": strings.Repeat("x", 8_000)})},
		{"a token of 17 KB", signed(nil, object{"x": strings.Repeat("x", 12_000)})},
	} {
		rows = append(rows, row{name: tt.name, send: tt.send, status: 401, code: refused, has: []string{challenge}})
	}
	for name, send := range map[string]request{
		"an unknown kid":                signed(object{"kid": echo}, nil),
		"a kid of SQL":                  signed(object{"kid": "' UNION SELECT 'x"}, nil),
		"a kid of 8 KB":                 signed(object{"kid": strings.Repeat("k", 8_000)}, nil),
		"another key with its own kid":  forged(object{"kid": "<kid>"}),
		"another key as jwk with a kid": forged(object{"jwk": "<jwk>", "kid": "<kid>"}),
		"another key through jku":       forged(object{"jku": "<there>", "kid": "<kid>"}),
		"another key through x5u":       forged(object{"x5u": "<there>", "kid": "<kid>"}),
	} {
		rows = append(rows, row{name: name, send: send, status: 401, code: refused, has: []string{challenge}, newKey: true})
	}
	return append(rows,
		row{name: "a valid token", send: signed(nil, nil), status: 200},
		row{name: "one of several audiences", send: bearing(func(_ *testing.T, g *gateway) string {
			return g.box.Issuer().Sign(nil, claims(g, object{"aud": []string{"other", g.box.Audience()}}))
		}), status: 200},
		row{name: "a header with unreachable URLs", send: signed(object{"jku": "http://127.0.0.1:1/", "x5u": "http://127.0.0.1:1/"}, nil), status: 200},
		// There is only one key, so it is unambiguous. The sandbox is stricter, as an API may be.
		row{name: "no kid", send: signed(object{"kid": nil}, nil), status: 200, code: refused, partial: true, calls: true},
		row{name: "without the scope", send: bearing(func(_ *testing.T, g *gateway) string { return g.box.Token("") }), status: 200},
	)
}

// unknownKeys floods the gateway with tokens of made-up keys: the issuer gets at most one request for its keys.
func unknownKeys(t *testing.T, g *gateway) {
	fetched := g.box.Issuer().JWKSFetches()
	for i := range 300 {
		g.wantRow(t, row{send: signed(object{"kid": fmt.Sprint("made-up-", i)}, nil), status: 401, code: refused, newKey: true})
	}
	if asked := g.box.Issuer().JWKSFetches() - fetched; asked > 2 {
		t.Errorf("the issuer got %d requests", asked)
	}
	g.wantResponse(t)
}
