package settings_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"pixgraph/gateway/settings"
)

// TestErrorsHaveNoValues: no error contains a token or a password that is in a wrong place of the arguments, the
// environment or the file.
func TestErrorsHaveNoValues(t *testing.T) {
	const jwt = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJjNG5hcnkifQ.c2lnbmF0dXJlLW9mLWEtdG9rZW4"
	secrets := []string{jwt, "s3cret-Passw0rd", "deadbeef0123456789", "S3CRET", strings.Repeat("a", 65)}
	file := func(text string) []string { return []string{"--config", writeFile(t, text)} }
	for _, secret := range secrets {
		tests := []struct {
			name          string
			args, environ []string
		}{
			{"an argument", []string{secret}, nil},
			{"an argument after a setting", []string{"--log-level", "info", secret}, nil},
			{"a flag", []string{"--" + secret}, nil},
			{"a flag with a value", []string{"--" + secret + "=" + secret}, nil},
			{"a flag and a value", []string{"-" + secret, secret}, nil},
			{"a repeated flag", []string{"--" + secret + "=1", "--" + secret + "=2"}, nil},
			{"a flag without value", []string{"--" + secret, "--listen=:1"}, nil},
			{"the value of a mistyped flag", []string{"--tokn", secret}, nil},
			{"the value of a mistyped flag, by an equals sign", []string{"--tokn=" + secret}, nil},
			{"the doctor's flag", []string{"--token=" + secret}, nil},
			{"the path of the file", []string{"--config", secret}, nil},
			{"the path of the file, in the environment", nil, []string{"PIXGRAPH_CONFIG=" + secret}},
			{"a directory of the file", []string{"--config", secret + "/" + secret + ".yaml"}, nil},
			{"a variable", nil, []string{"PIXGRAPH_" + secret + "=1"}},
			{"a variable, with its value", nil, []string{"PIXGRAPH_TOKN=" + secret}},
			{"a duplicate variable", nil, []string{"PIXGRAPH_" + secret + "=1", "PIXGRAPH_" + strings.ToLower(secret) + "=2"}},
			{"a key", file(secret + ": 1\n"), nil},
			{"a duplicate key", file(secret + ": 1\n" + secret + ": 2\n"), nil},
			{"a key within a group", file("auth:\n  " + secret + ": 1\n"), nil},
			{"a key with a mapping", file(secret + ": {a: 1}\n"), nil},
			{"a key with an empty mapping", file(secret + ": {}\n"), nil},
			{"a value", file("listen: " + secret + "\n"), nil},
			{"the value of an unknown key", file("tokn: " + secret + "\n"), nil},
			{"only a string", file(secret + "\n"), nil},
			{"a list", file("listen: [" + secret + "]\n"), nil},
			{"an anchor", file("listen: &" + secret + " :1\n"), nil},
			{"invalid YAML", file("listen: [" + secret + "\n"), nil},
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				_, err := settings.Load(tt.args, tt.environ)
				if err == nil {
					t.Fatal("no error")
				}
				for part := range strings.SplitSeq(secret, ".") {
					if strings.Contains(strings.ToLower(err.Error()), strings.ToLower(part)) {
						t.Errorf("%q contains a part of the value", err)
					}
				}
			})
		}
	}
}

// TestUnknownNames: the error about an unknown name shows it as the source writes it, and a similar name if there is
// one.
func TestUnknownNames(t *testing.T) {
	tests := []struct{ name, flag, variable, key string }{
		{"lisen", "--lisen (did you mean --listen?)", "PIXGRAPH_LISEN (did you mean PIXGRAPH_LISTEN?)", "lisen (did you mean listen?)"},
		{"upstream_timeuot", "--upstream-timeuot (did you mean --upstream-timeout?)",
			"PIXGRAPH_UPSTREAM_TIMEUOT (did you mean PIXGRAPH_UPSTREAM_TIMEOUT?)", "upstream_timeuot (did you mean upstream_timeout?)"},
		{"core", "--core (did you mean --core-url?)", "PIXGRAPH_CORE (did you mean PIXGRAPH_CORE_URL?)", "core (did you mean core_url?)"},
		{"confg", "--confg (did you mean --config?)", "PIXGRAPH_CONFG (did you mean PIXGRAPH_CONFIG?)", "confg (did you mean config?)"},
		{"tokn", "--tokn (did you mean --token?)", "PIXGRAPH_TOKN (did you mean PIXGRAPH_TOKEN?)", "tokn (pixgraph help lists them)"},
		{"port_80", "--port-80 (pixgraph help lists them)", "PIXGRAPH_PORT_80 (pixgraph help lists them)", "port_80 (pixgraph help lists them)"},
	}
	for _, setting := range settings.Table() { // a setting is not confused with one that has a similar name
		flag := "--" + strings.ReplaceAll(setting.Key, "_", "-")
		variable := settings.Prefix + strings.ToUpper(setting.Key)
		tests = append(tests, struct{ name, flag, variable, key string }{setting.Key + "x",
			flag + "x (did you mean " + flag + "?)", variable + "X (did you mean " + variable + "?)", setting.Key + "x (did you mean " + setting.Key + "?)"})
	}
	var token string
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, byFlag := settings.Load([]string{"--" + tt.name + "=1"}, nil, settings.Flag{Name: "token", Type: "token", Value: &token})
			_, byVariable := settings.Load(nil, []string{settings.Prefix + strings.ToUpper(tt.name) + "=1"})
			_, byKey := loadFile(t, tt.name+": 1\n")
			for got, want := range map[error]string{
				byFlag: "unknown flag " + tt.flag, byVariable: "unknown variable " + tt.variable, byKey: "config: line 1 of the file: unknown config key " + tt.key,
			} {
				if got == nil || got.Error() != want {
					t.Errorf("error %v, want %s", got, want)
				}
			}
		})
	}
}

// TestRemovedSettings: a setting that was removed is accepted from each source, has no effect, and is reported with
// what holds instead.
func TestRemovedSettings(t *testing.T) {
	byFlag, noFlag := settings.Load([]string{"--limits-body=2MiB", "--upstream-retries", "0"}, nil)
	byVariable, noVariable := settings.Load(nil, []string{"PIXGRAPH_LIMITS_BODY=2MiB", "PIXGRAPH_UPSTREAM_RETRIES=0"})
	byKey, noKey := loadFile(t, "limits: {body: 2MiB}\nupstream_retries: 0\n")
	if err := errors.Join(noFlag, noVariable, noKey); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"limits_body": "it is always 1MiB", "upstream_retries": "it is always 1"}
	for _, s := range []settings.Settings{byFlag, byVariable, byKey} {
		if got := s.Removed(); !maps.Equal(got, want) {
			t.Errorf("reported %v, want %v", got, want)
		}
	}
	for _, key := range []string{ // 0.1.0 removed these before it had a list
		"limits_aliases", "limits_bytes", "limits_definitions", "limits_directives", "limits_errors", "limits_fields", "limits_introspection",
		"limits_nesting", "limits_repetitions", "limits_root_fields", "limits_tokens", "limits_validation", "limits_variables",
		"persisted_max_bytes", "persisted_max_entries", "upstream_breaker_calls", "upstream_breaker_wait", "upstream_breaker_window",
		"upstream_hedge_after", "upstream_max_body", "upstream_operation_concurrency", "upstream_queue",
	} {
		if s, err := settings.Load(nil, []string{settings.Prefix + strings.ToUpper(key) + "=1"}); err != nil || s.Removed()[key] == "" {
			t.Errorf("%s: %v, reported %v", key, err, s.Removed())
		}
	}
	if s, err := settings.Load(nil, nil); err != nil || len(s.Removed()) > 0 {
		t.Errorf("without removed settings: %v, %v", s.Removed(), err)
	}
}
