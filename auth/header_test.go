package auth_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/auth"
	"pixgraph/internal/memnet"
	"pixgraph/sandbox/issuer"
)

func newForwarding(t testing.TB) *auth.Authenticator {
	t.Helper()
	a, err := auth.New(auth.Config{Mode: auth.ModeForward})
	must(t, err)
	t.Cleanup(a.Close)
	return a
}

func TestAuthorizationHeader(t *testing.T) {
	const limit = 16 << 10
	long := strings.Repeat("a", limit)
	tests := []struct {
		name   string
		values []string
		token  string // the accepted token
		want   auth.Reason
	}{
		{"none", nil, "", auth.ReasonMissing},
		{"empty", []string{""}, "", auth.ReasonMissing},
		{"plain", []string{"Bearer abc"}, "abc", ""},
		{"lower case", []string{"bearer abc"}, "abc", ""},
		{"mixed case", []string{"bEaReR abc"}, "abc", ""},
		{"several spaces", []string{"Bearer   abc"}, "abc", ""},
		{"every character", []string{"Bearer aZ09-._~+/=="}, "aZ09-._~+/==", ""},
		{"at the limit", []string{"Bearer " + long}, long, ""},
		{"above the limit", []string{"Bearer a" + long}, "", auth.ReasonMalformed},
		{"two headers", []string{"Bearer abc", "Bearer abc"}, "", auth.ReasonMalformed},
		{"two headers, one empty", []string{"", "Bearer abc"}, "", auth.ReasonMalformed},
		{"joined by a comma", []string{"Bearer abc, Bearer def"}, "", auth.ReasonMalformed},
		{"comma without a space", []string{"Bearer abc,def"}, "", auth.ReasonMalformed},
		{"Basic", []string{"Basic YTpi"}, "", auth.ReasonMalformed},
		{"DPoP", []string{"DPoP abc"}, "", auth.ReasonKeyBound},
		{"scheme alone", []string{"Bearer"}, "", auth.ReasonMalformed},
		{"scheme and a space", []string{"Bearer "}, "", auth.ReasonMalformed},
		{"no space", []string{"Bearerabc"}, "", auth.ReasonMalformed},
		{"token alone", []string{"abc"}, "", auth.ReasonMalformed},
		{"tab", []string{"Bearer\tabc"}, "", auth.ReasonMalformed},
		{"tab after a space", []string{"Bearer \tabc"}, "", auth.ReasonMalformed},
		{"leading space", []string{" Bearer abc"}, "", auth.ReasonMalformed},
		{"trailing space", []string{"Bearer abc "}, "", auth.ReasonMalformed},
		{"two words", []string{"Bearer abc def"}, "", auth.ReasonMalformed},
		{"CRLF", []string{"Bearer abc\r\nX-Other: 1"}, "", auth.ReasonMalformed},
		{"LF", []string{"Bearer abc\n"}, "", auth.ReasonMalformed},
		{"NUL", []string{"Bearer abc\x00"}, "", auth.ReasonMalformed},
		{"DEL", []string{"Bearer abc\x7f"}, "", auth.ReasonMalformed},
		{"quotes", []string{`Bearer "abc"`}, "", auth.ReasonMalformed},
		{"equals first", []string{"Bearer =abc"}, "", auth.ReasonMalformed},
		{"equals within", []string{"Bearer a=bc"}, "", auth.ReasonMalformed},
		{"equals only", []string{"Bearer =="}, "", auth.ReasonMalformed},
		{"not ASCII", []string{"Bearer ação"}, "", auth.ReasonMalformed},
		{"not UTF-8", []string{"Bearer \xff"}, "", auth.ReasonMalformed},
	}
	a := newForwarding(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			id, err := a.Authenticate(request(tt.values...))
			if reasonOf(t, err) != tt.want {
				t.Fatalf("err = %v, want reason %q", err, tt.want)
			}
			if err == nil && id.Bearer() != tt.token {
				t.Errorf("bearer = %.40q, want %.40q", id.Bearer(), tt.token)
			}
		})
	}
}

func TestChallenge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &memnet.Network{}
		iss, down := newIssuer(t, network), newIssuer(t, network)
		down.SetDown(true)
		a := newAuth(t, network, iss, func(cfg *auth.Config) { cfg.Issuers = append(cfg.Issuers, down.URL()) })
		tests := []struct {
			name        string
			r           *http.Request
			challenge   string
			public      string
			unavailable bool
		}{
			{"missing", request(), `Bearer realm="pixgraph"`, "bearer token required", false},
			{"malformed", request("Basic x"),
				`Bearer realm="pixgraph", error="invalid_token", error_description="malformed Authorization header or bearer token"`,
				"malformed Authorization header or bearer token", false},
			{"expired", request("Bearer " + iss.Mint(issuer.Grant{TTL: -time.Hour})),
				`Bearer realm="pixgraph", error="invalid_token", error_description="token expired"`,
				"token expired", false},
			{"unavailable", request("Bearer " + down.Mint(issuer.Grant{})), "", "token not verified: the keys of its issuer are unavailable, retry later", true},
		}
		for _, tt := range tests {
			_, err := a.Authenticate(tt.r)
			var e *auth.Error
			if !errors.As(err, &e) {
				t.Fatalf("%s: err = %v", tt.name, err)
			}
			if e.Challenge() != tt.challenge || e.Public() != tt.public || e.Unavailable() != tt.unavailable {
				t.Errorf("%s: challenge %q, public %q, unavailable %t", tt.name, e.Challenge(), e.Public(), e.Unavailable())
			}
		}
	})
}

func FuzzAuthorizationHeader(f *testing.F) {
	a := newForwarding(f)
	f.Add("Bearer abc")
	f.Add("bearer  a.b-c_d~e+f/g==")
	f.Add("Bearer a,b")
	f.Add("Bearer\tabc\r\n")
	f.Fuzz(func(t *testing.T, value string) {
		id, err := a.Authenticate(request(value))
		if err != nil {
			if reason := reasonOf(t, err); reason != auth.ReasonMissing && reason != auth.ReasonMalformed {
				t.Errorf("reason %q", reason)
			}
			return
		}
		token := id.Bearer()
		head, ok := strings.CutSuffix(value, token)
		if !ok || !strings.EqualFold(strings.TrimRight(head, " "), "bearer") || len(head) < len("bearer ") {
			t.Errorf("%q was accepted, with the token %q", value, token)
		}
		if token == "" || len(token) > 16<<10 || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == ',' }) {
			t.Errorf("token %q is not a b64token", token)
		}
	})
}
