package hostile

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/upstream/sandbox/issuer"
)

// bearing sends a normal query with a token that is created for the gateway. The response must not contain any
// part of the token.
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
		if err != nil {
			t.Fatal(err)
		}
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

// symmetric is a token with HS256 and a secret that is publicly known.
func symmetric(secret func(*testing.T, *gateway) []byte) request {
	return bearing(func(t *testing.T, g *gateway) string {
		mac := hmac.New(sha256.New, secret(t, g))
		kid := g.box.Issuer().KeySet().Keys[0].KeyID
		signing := segment(t, map[string]any{"alg": "HS256", "typ": "JWT", "kid": kid}) + "." + segment(t, claims(g, nil))
		mac.Write([]byte(signing))
		return signing + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	})
}

func segment(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// publicKey is the issuer's public key in DER.
func publicKey(t *testing.T, g *gateway) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(g.box.Issuer().KeySet().Keys[0].Key)
	if err != nil {
		t.Fatal(err)
	}
	return der
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

// tokens must all be refused.
func tokens() []row {
	unsigned := func(alg string) request {
		return bearing(func(t *testing.T, g *gateway) string {
			return segment(t, object{"alg": alg, "typ": "JWT"}) + "." + segment(t, claims(g, nil)) + "."
		})
	}
	now := time.Now().Unix()
	var rows []row
	for _, tt := range []struct {
		name string
		send request
	}{
		{"alg none", unsigned("none")}, {"alg None", unsigned("None")}, {"alg nOnE", unsigned("nOnE")}, {"alg empty", unsigned("")},
		{"alg none, signed", signed(object{"alg": "none"}, nil)}, {"no alg", signed(object{"alg": nil}, nil)}, {"alg a number", signed(object{"alg": 256}, nil)},
		{"alg a list", signed(object{"alg": []string{"ES256"}}, nil)}, {"alg in lower case", signed(object{"alg": "es256"}, nil)},
		{"alg of another curve", signed(object{"alg": "ES384"}, nil)},
		{"alg PS256", signed(object{"alg": "PS256"}, nil)}, {"alg HS256, signed by the key", signed(object{"alg": "HS256"}, nil)},
		{"alg of 10 KB", signed(object{"alg": strings.Repeat("A", 7_000)}, nil)},
		{"HS256 with the public key", symmetric(publicKey)}, {"HS256 with an empty secret", symmetric(func(*testing.T, *gateway) []byte { return nil })},
		{"HS256 with the public key in PEM", symmetric(func(t *testing.T, g *gateway) []byte {
			return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: publicKey(t, g)})
		})},
		{"HS256 with the public JWK", symmetric(func(t *testing.T, g *gateway) []byte {
			text, err := g.box.Issuer().KeySet().Keys[0].MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			return text
		})},
		{"an unknown kid", signed(object{"kid": echo}, nil)}, {"a kid as a number", signed(object{"kid": 1}, nil)},
		{"a kid as a list", signed(object{"kid": []string{"a"}}, nil)}, {"a kid as an object", signed(object{"kid": object{}}, nil)},
		{"a kid that is a path", signed(object{"kid": "../../../dev/null"}, nil)}, {"a kid of SQL", signed(object{"kid": "' UNION SELECT 'x"}, nil)},
		{"a kid of 8 KB", signed(object{"kid": strings.Repeat("k", 8_000)}, nil)},
		{"another key with the known kid", forged(nil)}, {"another key with its own kid", forged(object{"kid": "<kid>"})},
		{"another key as jwk", forged(object{"jwk": "<jwk>"})}, {"another key as jwk with its kid", forged(object{"jwk": "<jwk>", "kid": "<kid>"})},
		{"another key through jku", forged(object{"jku": "<there>", "kid": "<kid>"})},
		{"another key through x5u", forged(object{"x5u": "<there>", "kid": "<kid>"})}, {"another key through x5c", forged(object{"x5c": []string{"MIIB"}})},
		{"a crit header", signed(object{"crit": []string{"exp"}}, nil)}, {"b64 false", signed(object{"b64": false, "crit": []string{"b64"}}, nil)},
		{"a logout token", signed(object{"typ": "logout+jwt"}, nil)}, {"a typ that is a number", signed(object{"typ": 1}, nil)},
		{"another payload", changed(func(h, _, s string) string {
			return h + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"admin"}`)) + "." + s
		})},
		{"another header", changed(func(_, p, s string) string {
			return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"ES256"}`)) + "." + p + "." + s
		})},
		{"another signature", changed(func(h, p, s string) string { return h + "." + p + "." + flip(s) })},
		{"half a signature", changed(func(h, p, s string) string { return h + "." + p + "." + s[:40] })},
		{"a signature of zeros", changed(func(h, p, _ string) string { return h + "." + p + "." + strings.Repeat("A", 86) })},
		{"no signature", changed(func(h, p, _ string) string { return h + "." + p + "." })},
		{"two parts", changed(func(h, p, _ string) string { return h + "." + p })},
		{"four parts", changed(func(h, p, s string) string { return h + "." + p + "." + s + "." + s })},
		{"an encrypted one", changed(func(h, p, s string) string { return h + "." + p + "." + s + ".a.b" })},
		{"a thousand parts", changed(func(string, string, string) string { return strings.Repeat("a.", 1_000) })},
		{"dots", changed(func(string, string, string) string { return "..." })},
		{"padding", changed(func(h, p, s string) string { return h + "." + p + "." + s + "==" })},
		{"a payload that is not JSON", changed(func(h, _, s string) string {
			return h + "." + base64.RawURLEncoding.EncodeToString([]byte(echo)) + "." + s
		})},
		{"expired", signed(nil, object{"exp": now - 120})}, {"without exp", signed(nil, object{"exp": nil})},
		{"exp a string", signed(nil, object{"exp": fmt.Sprint(now + 60)})}, {"exp out of range", signed(nil, object{"exp": 1e300})},
		{"exp negative", signed(nil, object{"exp": -1})},
		{"nbf in the future", signed(nil, object{"nbf": now + 3600})}, {"nbf a string", signed(nil, object{"nbf": "now"})},
		{"iat in the future", signed(nil, object{"iat": now + 3600})},
		{"another issuer", signed(nil, object{"iss": "https://evil.example"})}, {"no issuer", signed(nil, object{"iss": nil})},
		{"the issuer with a slash", bearing(func(_ *testing.T, g *gateway) string {
			return g.box.Issuer().Sign(nil, claims(g, object{"iss": g.box.IssuerURL() + "/"}))
		})},
		{"iss a list", signed(nil, object{"iss": []string{"a"}})}, {"another audience", signed(nil, object{"aud": "somewhere else"})},
		{"no audience", signed(nil, object{"aud": nil})}, {"an empty audience", signed(nil, object{"aud": []string{}})},
		{"aud an object", signed(nil, object{"aud": object{"a": 1}})},
		{"an audience with the same prefix", bearing(func(_ *testing.T, g *gateway) string {
			return g.box.Issuer().Sign(nil, claims(g, object{"aud": g.box.Audience() + ".evil"}))
		})},
		{"no subject", signed(nil, object{"sub": nil})}, {"an empty subject", signed(nil, object{"sub": ""})},
		{"sub a number", signed(nil, object{"sub": 7})}, {"scope a number", signed(nil, object{"scope": 7})},
		{"claims of 10 KB", signed(nil, object{"sub": nil, "x": strings.Repeat("x", 8_000)})},
		{"a token of 17 KB", signed(nil, object{"x": strings.Repeat("x", 12_000)})},
	} {
		rows = append(rows, row{name: tt.name, send: tt.send, status: 401, code: refused, has: []string{challenge}})
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

// flip changes the first character of a text.
func flip(text string) string {
	if text[0] == 'A' {
		return "B" + text[1:]
	}
	return "A" + text[1:]
}

// unknownKeys floods the gateway with tokens of made-up keys: the issuer gets at most one request for its keys.
func unknownKeys(t *testing.T, g *gateway) {
	fetched := g.box.Issuer().JWKSFetches()
	for i := range 300 {
		g.wantRow(t, row{send: signed(object{"kid": fmt.Sprint("made-up-", i)}, nil), status: 401, code: refused})
	}
	if asked := g.box.Issuer().JWKSFetches() - fetched; asked > 2 {
		t.Errorf("the issuer got %d requests", asked)
	}
	g.wantResponse(t)
}
