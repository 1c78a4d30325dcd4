package settings_test

import (
	"strings"
	"testing"

	"pixgraph/gateway/settings"
)

// TestFlags: a flag may be repeated only for a list, whose values are combined.
func TestFlags(t *testing.T) {
	tests := []struct {
		name  string
		args  []string
		value func(settings.Settings) string
		want  string
		err   string // the prefix of the error
	}{
		{name: "equals sign", args: []string{"--listen=:1"}, want: ":1"},
		{name: "a separate value", args: []string{"--listen", ":1"}, want: ":1"},
		{name: "one dash", args: []string{"-listen=:1"}, want: ":1"},
		{name: "an equals sign in the value", args: []string{"--auth-audience=a=b"}, value: audiences, want: "a=b"},
		{name: "a repeated list", args: []string{"--auth-audience=a", "--auth_audience", "b, c"}, value: audiences, want: "a b c"},
		{name: "a repeated list with an empty value", args: []string{"--auth-audience=a", "--auth-audience="}, err: "auth_audience: must be a list"},
		{name: "repeated networks", args: []string{"--rate-trusted-proxies=10.0.0.0/8", "--rate-trusted-proxies=::1/128"},
			value: func(s settings.Settings) string { return s.Limits.Rate.TrustedProxies[1].String() }, want: "::1/128"},
		{name: "a network of IPv4 as IPv6", args: []string{"--rate-trusted-proxies=::ffff:10.0.0.0/104"},
			value: func(s settings.Settings) string { return s.Limits.Rate.TrustedProxies[0].String() }, want: "10.0.0.0/8"},
		{name: "a repeated scalar", args: []string{"--listen=:1", "--listen=:2"}, err: "listen: is in the flags twice"},
		{name: "a scalar repeated with the same value", args: []string{"--log-level=info", "--log_level=info"}, err: "log_level: is in the flags twice"},
		{name: "a repeated file", args: []string{"--config=a", "--config=b"}, err: "config: is in the flags twice"},
		{name: "no value", args: []string{"--listen"}, err: "listen: a value must follow"},
		{name: "a flag instead of a value", args: []string{"--persisted-manifest", "--listen=:1"}, err: "persisted_manifest: a value must follow"},
		{name: "an argument", args: []string{"--listen=:1", "x"}, err: "an argument is not a flag"},
		{name: "a dash", args: []string{"-"}, err: "an argument is not a flag"},
		{name: "an argument after dashes", args: []string{"--", "--listen=:1"}, err: "an argument is not a flag"},
		{name: "no key", args: []string{"--=x"}, err: "unknown flag, with a name that is not shown"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := settings.Load(tt.args, nil)
			if tt.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tt.err) {
					t.Errorf("error %v, want %s…", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			value := s.Listen
			if tt.value != nil {
				value = tt.value(s)
			}
			if value != tt.want {
				t.Errorf("%q, want %q", value, tt.want)
			}
		})
	}
}

// TestOperands: the arguments of a command are those that are neither flags nor values of flags, in their order.
func TestOperands(t *testing.T) {
	var token string
	own := settings.Flag{Name: "token", Type: "token", Value: &token}
	args := []string{"a", "--listen", ":1", "-", "--token", "-", "--limits-cost=7", "b", "--", "--listen=:2", "-"}
	s, operands, err := settings.LoadCommand(args, nil, own)
	if err != nil || s.Listen != ":1" || s.Limits.MaxCost != 7 || token != "-" {
		t.Errorf("listen %s, cost %d, token %s, %v", s.Listen, s.Limits.MaxCost, token, err)
	}
	if got := strings.Join(operands, " "); got != "a - b --listen=:2 -" {
		t.Errorf("operands %s", got)
	}
}

func audiences(s settings.Settings) string { return strings.Join(s.Tokens.Audiences, " ") }
