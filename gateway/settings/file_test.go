package settings_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pixgraph/gateway/settings"
)

// writeFile writes a YAML file and returns its path.
func writeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pixgraph.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func loadFile(t *testing.T, text string) (settings.Settings, error) {
	t.Helper()
	return settings.Load([]string{"--config", writeFile(t, text)}, nil)
}

// TestFileValues: a value is the text in the file, whatever its type in YAML.
func TestFileValues(t *testing.T) {
	tests := []struct{ name, file, audiences string }{
		{"an empty file", "", ""},
		{"a comment", "# auth_audience: a\n", ""},
		{"null", "auth_audience:\n", ""},
		{"an empty list", "auth_audience: []\n", ""},
		{"an octal number", "auth_audience: 0123\n", "0123"},
		{"a number with a trailing zero", "auth_audience: 1.10\n", "1.10"},
		{"a number above any float", "auth_audience: 1e400\n", "1e400"},
		{"a long number", "auth_audience: 12345678901234567890123\n", "12345678901234567890123"},
		{"a hexadecimal number", "auth_audience: 0x1F\n", "0x1F"},
		{"not a number", "auth_audience: .nan\n", ".nan"},
		{"a bool", "auth_audience: True\n", "True"},
		{"a date", "auth_audience: 2026-01-31\n", "2026-01-31"},
		{"minutes", "auth_audience: 12:30\n", "12:30"},
		{"null in quotes", "auth_audience: 'null'\n", "null"},
		{"quotes in quotes", "auth_audience: 'it''s'\n", "it's"},
		{"escapes", `auth_audience: "caf\u00e9"` + "\n", "café"},
		{"a number sign in a value", "auth_audience: a#b # comment\n", "a#b"},
		{"a list of numbers", "auth_audience: [0123, 1.10, True]\n", "0123 1.10 True"},
		{"a list in several lines", "auth_audience:\n- a\n- 'b'\n", "a b"},
		{"a list as a string", "auth_audience: a, b\n", "a b"},
		{"nested", "auth: {audience: a}\n", "a"},
		{"line ends of Windows, and a byte order mark", "\uFEFFlisten: :1\r\nauth_audience: a\r\n", "a"},
		{"a document with its markers", "---\nauth_audience: a\n...\n", "a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := loadFile(t, tt.file)
			if err != nil || audiences(s) != tt.audiences {
				t.Errorf("%q, %v; want %q", audiences(s), err, tt.audiences)
			}
		})
	}
}

// TestInvalidFiles: the error names the key or the line.
func TestInvalidFiles(t *testing.T) {
	tests := []struct{ name, file, begins, says string }{
		{"null in a list", "auth_audience: [null, s3cret]\n", "auth_audience: ", "empty"},
		{"an empty item in a list", "auth_audience:\n- s3cret\n-\n", "auth_audience: ", "empty"},
		{"an empty string in a list", "auth_audience: ['', s3cret]\n", "auth_audience: ", "empty"},
		{"spaces in a list", "auth_audience: [' s3cret']\n", "auth_audience: ", "spaces"},
		{"a comma in a list", "auth_audience: ['s3cret,b']\n", "auth_audience: ", "comma"},
		{"a list in a list", "auth_audience: [[s3cret]]\n", "auth_audience: ", "list of strings"},
		{"a mapping in a list", "auth_audience: [{a: s3cret}]\n", "auth_audience: ", "list of strings"},
		{"a list for a string", "redis_password_file: [s3cret]\n", "redis_password_file: ", "not a list"},
		{"a list for a number", "limits:\n  memory: [1, 2]\n", "limits_memory: ", "a size such as 16MiB or 500KiB, at most 1TiB, not a list"},
		{"an octal number", "limits_memory: 0123\n", "limits_memory: ", "config file"},
		{"a fraction", "limits_memory: 1.0\n", "limits_memory: ", "config file"},
		{"an exponent", "limits_memory: 1e3\n", "limits_memory: ", "config file"},
		{"an underscore", "limits_memory: 1_000\n", "limits_memory: ", "config file"},
		{"a hexadecimal number", "limits_memory: 0x10\n", "limits_memory: ", "config file"},
		{"another file", "config: s3cret.yaml\n", "config: ", "cannot be in"},
		{"an empty mapping", "bogus: {}\n", "config: line 1 of the file: unknown config key bogus (", "lists them"},
		{"an empty mapping for a list", "auth_audience: {}\n", "auth_audience: ", "line 1"},
		{"a hyphen in a key", "trace: on\nlive-interval: 2s\n", "config: line 2 of the file: unknown config key, with ", "not shown"},
		{"an empty group", "upstream:\n", "config: line 1 of the file: unknown config key upstream (", "did you mean upstream_timeout?"},
		{"a key within a setting", "listen: {on: s3cret}\n", "config: line 1 of the file: unknown config key listen_on (", "did you mean listen?"},
		{"a dot in a key", "upstream.timeout: 3s\n", "config: line 1 of the file: unknown config key upstream.timeout (", "did you mean upstream_timeout?"},
		{"a duplicate key", "listen: :1\nlisten: :2\n", "listen: ", "twice"},
		{"a duplicate group", "upstream: {timeout: 1s}\nupstream: {retries: 5}\n", "upstream: ", "twice"},
		{"flat and nested", "upstream: {timeout: 1s}\nupstream_timeout: 2s\n", "upstream_timeout: ", "twice"},
		{"nested and flat", "upstream_timeout: 2s\nupstream: {timeout: 1s}\n", "upstream_timeout: ", "twice"},
		{"a second document", "listen: :1\n---\nlisten: :2\n", "config: ", "document"},
		{"an empty second document", "listen: :1\n---\n", "config: ", "document"},
		{"a list", "# settings\n- s3cret\n", "config: line 2 ", "key: value"},
		{"a string", "listen:s3cret\n", "config: line 1 ", "key: value"},
		{"a syntax error", "listen: :1\nlog_level: [s3cret\n", "config: line 2 ", "YAML"},
		{"a syntax error before other lines", "listen: :1\nlog_level: [s3cret\ntrace: x\n", "config: line 2 ", "YAML"},
		{"a space too many", "listen: :1\n log_level: s3cret\n", "config: line 2 ", "YAML"},
		{"a syntax error after a list", "auth_issuer: [a,\n  b]\n\nlisten: [s3cret\n", "config: line 4 ", "YAML"},
		{"a large file", strings.Repeat("listen: [s3cret\n", 5000), "config: ", "the file is not YAML"},
		{"an unclosed quote", "listen: :1\nlog_level: 's3cret\n", "config: line 2 ", "YAML"},
		{"a key that is a number", "listen: :1\n1: s3cret\n", "config: line 2 ", "does not begin with a key"},
		{"an empty key", "'': s3cret\n", "config: line 1 ", "does not begin with a key"},
		{"a merge key", "<<: {listen: s3cret}\n", "config: line 1 ", "does not begin with a key"},
		{"an anchor", "listen: &s3cret :1\n", "listen: ", "anchors"},
		{"an alias", "listen: *s3cret\n", "listen: ", "anchors"},
		{"a tag", "listen: !!str s3cret\n", "listen: ", "tags"},
		{"a block", "persisted_manifest: |\n  s3cret\n", "persisted_manifest: ", "a string"},
		{"a string of two lines", "persisted_manifest: s3cret\n  b\n", "persisted_manifest: ", "one line"},
		{"a quoted string of two lines", "persisted_manifest: 's3cret\n  b'\n", "persisted_manifest: ", "one line"},
		{"not UTF-8", "persisted_manifest: \xff\n", "config: ", "UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := loadFile(t, tt.file)
			if err == nil || !strings.HasPrefix(err.Error(), tt.begins) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want %s… %s", err, tt.begins, tt.says)
			}
			if err != nil && strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%q shows the value", err)
			}
		})
	}
}

// FuzzFile: any text in quotes is read unchanged, or rejected.
func FuzzFile(f *testing.F) {
	for _, text := range []string{"manifest.json", "a b", `C:\x`, "é\u2028", "a\tb", "~", "#", "'", `"`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // json.Marshal would change it
		}
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, written := range []string{string(quoted), "'" + strings.ReplaceAll(text, "'", "''") + "'"} {
			if s, err := loadFile(t, "redis_password_file: "+written+"\n"); err == nil && s.Fleet.PasswordFile != text {
				t.Errorf("%q was read as %q", written, s.Fleet.PasswordFile)
			}
		}
	})
}
