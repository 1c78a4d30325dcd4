package settings_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"pixgraph/gateway/settings"
)

func load(t *testing.T, yaml string, environ, args []string) settings.Settings {
	t.Helper()
	if yaml != "" {
		args = append(args, "--config", writeFile(t, yaml))
	}
	s, err := settings.Load(args, environ)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestLayers: a later source overrides an earlier one. Each has its own form of keys.
func TestLayers(t *testing.T) {
	tests := []struct {
		name          string
		yaml          string
		environ, args []string
		timeout       time.Duration
	}{
		{"defaults", "", nil, nil, 10 * time.Second},
		{"file, flat", "upstream_timeout: 2s", nil, nil, 2 * time.Second},
		{"file, nested", "upstream:\n  timeout: 2s", nil, nil, 2 * time.Second},
		{"environment over file", "upstream_timeout: 2s", []string{"PIXGRAPH_UPSTREAM_TIMEOUT=3s"}, nil, 3 * time.Second},
		{"flag over environment", "upstream_timeout: 2s", []string{"PIXGRAPH_UPSTREAM_TIMEOUT=3s"}, []string{"--upstream-timeout=4s"}, 4 * time.Second},
		{"flag with underscores and a space", "", nil, []string{"-upstream_timeout", "5s"}, 5 * time.Second},
		{"another program's environment", "", []string{"UPSTREAM_TIMEOUT=3s", "PATH=/bin"}, nil, 10 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if s := load(t, tt.yaml, tt.environ, tt.args); s.Client.Timeout != tt.timeout {
				t.Errorf("upstream_timeout %s, want %s", s.Client.Timeout, tt.timeout)
			}
		})
	}
}

// TestValues: each kind of value is read in its different forms.
func TestValues(t *testing.T) {
	s := load(t, `
core_url: https://core.example.com
dispatcher_url: https://dispatcher.example.com
auth:
  issuer: [https://a.example.com, https://b.example.com]
  audience: one, two
console: off
introspection: true
limits_memory: 1024
links_metadata_pointer: /a/0
`, nil, nil)
	if strings.Join(s.Tokens.Issuers, " ") != "https://a.example.com https://b.example.com" || strings.Join(s.Tokens.Audiences, " ") != "one two" {
		t.Errorf("lists %q %q", s.Tokens.Issuers, s.Tokens.Audiences)
	}
	if s.Console || !s.Introspection || s.Memory != 1024 || s.LinksMetadataPointer != "/a/0" {
		t.Errorf("%+v", s)
	}
	if s.Sandbox() || !load(t, "", nil, nil).Sandbox() {
		t.Error("the sandbox must be used if and only if there is no core_url")
	}
}

// loadFrom loads the settings with one value from a source.
func loadFrom(t *testing.T, source, key, value string) error {
	t.Helper()
	var environ, args []string
	switch source {
	case "the config file":
		args = []string{"--config", writeFile(t, key+": "+value+"\n")}
	case "the environment":
		environ = []string{settings.Prefix + strings.ToUpper(key) + "=" + value}
	case "the flags":
		args = []string{"--" + key + "=" + value}
	default:
		t.Fatalf("unknown source %s", source)
	}
	_, err := settings.Load(args, environ)
	return err
}

// TestErrors: an error has the key, the accepted values and the source, and never the value, which may be a secret.
func TestErrors(t *testing.T) {
	for _, setting := range settings.Table() {
		values := []string{"s3cret%"}
		switch {
		case setting.List:
			values = []string{"s3cret%,", ",s3cret%", "s3cret%,,s3cret%"} // an item is missing
		case setting.Type == "string" || setting.Type == "file":
			values = nil // every string is valid
		}
		if setting.Default != "" || setting.Key == "core_url" || setting.Key == "dispatcher_url" {
			values = append(values, "")
		}
		for _, source := range []string{"the config file", "the environment", "the flags"} {
			for _, value := range values {
				err := loadFrom(t, source, setting.Key, value)
				if err == nil {
					t.Errorf("%s accepts %q from %s", setting.Key, value, source)
					continue
				}
				for _, part := range []string{setting.Key + ": ", setting.Accepts, source} {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("%q does not contain %q", err, part)
					}
				}
				if strings.Contains(err.Error(), "s3cret") {
					t.Errorf("%q shows the value", err)
				}
			}
		}
	}
}

// TestEmpty: a setting without a default can be emptied by a later source.
func TestEmpty(t *testing.T) {
	s := load(t, "auth_audience: [a, b]\npaging_page_param: page\n",
		[]string{"PIXGRAPH_AUTH_AUDIENCE="}, []string{"--paging-page-param="})
	if len(s.Tokens.Audiences) != 0 || s.Client.PageParam != "" {
		t.Errorf("audiences %q, page parameter %q", s.Tokens.Audiences, s.Client.PageParam)
	}
	for _, source := range []string{"the environment", "the flags"} {
		if err := loadFrom(t, source, "config", ""); err == nil || !strings.HasPrefix(err.Error(), "config: is empty") {
			t.Errorf("an empty config from %s: %v", source, err)
		}
	}
}

// TestLogValue: the log value has every setting, in the form of the config file.
func TestLogValue(t *testing.T) {
	var text strings.Builder
	slog.New(slog.NewJSONHandler(&text, nil)).Info("", "settings", load(t, "", nil, nil))
	for _, setting := range settings.Table() {
		if !strings.Contains(text.String(), `"`+setting.Key+`":"`+setting.Default+`"`) {
			t.Errorf("%s is not in %s with its default %s", setting.Key, text.String(), setting.Default)
		}
	}
}

// TestNoPasswords: no setting that may be a URL accepts one with a password, because the startup log line has all
// settings.
func TestNoPasswords(t *testing.T) {
	notURLs := []string{"auth_audience", "console_client_id", "console_scopes"}
	for _, setting := range settings.Table() {
		_, err := settings.Load([]string{"--" + setting.Key + "=https://a:s3cret@login.example.com"}, nil)
		rejected := err != nil && strings.HasPrefix(err.Error(), setting.Key+": must be")
		if !rejected && setting.Type != "file" && !slices.Contains(notURLs, setting.Key) {
			t.Errorf("%s accepts a password: %v", setting.Key, err)
		}
	}
}

// TestSecrets: a secret is shown nowhere, and is not too short to be guessed.
func TestSecrets(t *testing.T) {
	const secret = "0123456789abcdef"
	s := load(t, "", nil, []string{"--live-nudge-secret=" + secret})
	if string(s.LiveNudgeSecret) != secret {
		t.Error("the secret was not read")
	}
	var text strings.Builder
	slog.New(slog.NewJSONHandler(&text, nil)).Info("", "settings", s, "secret", s.LiveNudgeSecret.String())
	fmt.Fprintf(&text, "%v %+v %#v %s %q", s, s, s, s.LiveNudgeSecret, s.LiveNudgeSecret)
	if strings.Contains(text.String(), secret) || !strings.Contains(text.String(), `"live_nudge_secret":"***"`) {
		t.Error(text.String())
	}
	for _, invalid := range []string{secret[1:], strings.Repeat("x", 257), secret + "/", secret + "é", secret + "%20"} {
		if _, err := settings.Load([]string{"--live-nudge-secret=" + invalid}, nil); err == nil {
			t.Errorf("%q is accepted", invalid)
		}
	}
}
