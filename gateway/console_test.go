package gateway

import (
	"io"
	"slices"
	"testing"

	"pixgraph/gateway/settings"
	"pixgraph/internal/memnet"
	"pixgraph/sandbox"
	"pixgraph/web"
	"pixgraph/web/operations"
)

// TestConsoleConfig: where GraphiQL signs in, according to the settings.
func TestConsoleConfig(t *testing.T) {
	real := []string{"--core-url=http://127.0.0.1:1", "--dispatcher-url=http://127.0.0.1:2"}
	oidc := []string{"--auth-issuer=https://a.example.com,https://b.example.com", "--auth-audience=x"}
	tests := []struct {
		name  string
		flags []string
		want  *web.SignIn
	}{
		{"without a client", oidc, nil},
		{
			"the first issuer", append(oidc, "--console-client-id=page"),
			&web.SignIn{Issuer: "https://a.example.com", ClientID: "page", Scopes: []string{"openid"}},
		},
		{
			"other scopes",
			append(oidc, "--console-client-id=page", "--console-scopes=openid,get_dispatcher"),
			&web.SignIn{Issuer: "https://a.example.com", ClientID: "page", Scopes: []string{"openid", "get_dispatcher"}},
		},
		{
			"an issuer that only the APIs know",
			[]string{"--auth-mode=forward", "--console-client-id=page", "--auth-issuer=https://b.example.com", "--console-fees=reais"},
			&web.SignIn{Issuer: "https://b.example.com", ClientID: "page", Scopes: []string{"openid"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := settings.Load(slices.Concat(real, tt.flags), nil)
			if err != nil {
				t.Fatal(err)
			}
			config := consoleConfig(s)
			if got := config.SignIn; (got == nil) != (tt.want == nil) || got != nil && !equalSignIn(*got, *tt.want) {
				t.Errorf("sign-in %+v, want %+v", got, tt.want)
			}
			if config.Trace || !config.Schema || config.Links || config.Gateway != (operations.Gateway{}) {
				t.Errorf("%+v", config)
			}
			if want := map[bool]string{true: "reais", false: "unknown"}[slices.Contains(tt.flags, "--console-fees=reais")]; config.Fees != want {
				t.Errorf("fees in %s, want %s", config.Fees, want)
			}
		})
	}
}

func equalSignIn(a, b web.SignIn) bool {
	return a.Issuer == b.Issuer && a.ClientID == b.ClientID && slices.Equal(a.Scopes, b.Scopes)
}

// TestConsoleOfTheSandbox: the console knows the sandbox's issuer and what the gateway can do over it.
func TestConsoleOfTheSandbox(t *testing.T) {
	s, err := settings.Load(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	box, s, err := startSandbox(s, sandbox.Config{Listen: new(memnet.Network).Listen}, newLog(io.Discard, "error"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = box.Close() })
	config := consoleConfig(s)
	if config.SignIn == nil || config.SignIn.Issuer != box.IssuerURL() || config.SignIn.ClientID != sandboxClientID || !config.Trace {
		t.Errorf("trace %t, sign-in %+v", config.Trace, config.SignIn)
	}
	if all := (operations.Gateway{PageNumber: true, PageSize: true}); !config.Links || config.Gateway != all {
		t.Errorf("links %t, %+v", config.Links, config.Gateway)
	}

}
