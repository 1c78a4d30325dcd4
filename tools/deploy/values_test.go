package deploy

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestInvalidValues: the schema rejects values that are not in it, settings that do not exist, and secrets in plain
// text.
func TestInvalidValues(t *testing.T) {
	tests := []struct{ name, values, reports string }{
		{"an unknown value", "replicaCount: 3", "replicaCount"},
		{"an unknown setting", "settings: {core_uri: https://core.example.com}", "core_uri"},
		{"a secret in plain text", "settings: {live_nudge_secret: 0123456789abcdef}", "live_nudge_secret"},
		{"an unknown secret", "secretSettings: {nudge: {name: a, key: b}}", "nudge"},
		{"a secret without a key", "secretSettings: {live_nudge_secret: {name: a}}", "key"},
		{"an address without a port", "settings: {listen: localhost}", "listen"},
		{"an admin address that probes cannot reach", "settings: {admin_listen: 127.0.0.1:9090}", "admin_listen"},
		{"another type", "settings: {auth_audience: {a: b}}", "auth_audience"},
		{"a value that is no choice", "settings: {auth_mode: none}", "auth_mode"},
		{"a relative path", "mounts: {etc: {secret: a}}", "'etc' does not match"},
		{"a path that is in use", "mounts: {/etc/pixgraph/config: {secret: a}}", "/etc/pixgraph/config is in use"},
		{"a mount of nothing", "mounts: {/etc/otel: {}}", "~1etc~1otel"},
		{"a file of a setting that has none", "fileSettings: {core_url: {secret: a, key: b}}", "core_url"},
		{"a file without a key", "fileSettings: {core_ca: {secret: a}}", "key"},
		{"a file of two objects", "fileSettings: {core_ca: {secret: a, configMap: b, key: c}}", "core_ca"},
		{"a key in a ConfigMap", "fileSettings: {tls_key: {configMap: a, key: tls.key}}", "tls_key"},
		{"credentials in a ConfigMap", "fileSettings: {core_proxy_credentials: {configMap: a, key: b}}", "core_proxy_credentials"},
		{"a setting in two places", "settings: {core_ca: /a}\nfileSettings: {core_ca: {secret: a, key: b}}", "core_ca is in settings and in fileSettings"},
		{"a tag as digest", "image: {digest: latest}", "digest"},
		{"no values", "", "_url is required"},
		{"no pods", "replicas: 0", "replicas"},
		{"no core API", "settings: {core_url: ''}", "settings.core_url is required"},
		{"no dispatcher API", "settings: {dispatcher_url: ''}", "settings.dispatcher_url is required"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			values := valuesIn(t, "minimal")
			for name, value := range valuesOf(t, tt.values) {
				if set, ok := value.(map[string]any); ok && name == "settings" {
					maps.Copy(values[name].(map[string]any), set)
					continue
				}
				values[name] = value
			}
			if tt.name == "no values" {
				values = nil
			}
			if _, err := render(load(t), values); err == nil || !strings.Contains(err.Error(), tt.reports) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestNotes: the notes of an installation say what remains open.
func TestNotes(t *testing.T) {
	for name, hints := range map[string][]string{"minimal": {"networkPolicy.core", "serviceMonitor.enabled"}, "full": nil} {
		rendered, err := render(load(t), valuesIn(t, name))
		must(t, err)
		notes := rendered["pixgraph/templates/NOTES.txt"]
		if !strings.Contains(notes, "helm test pixgraph --namespace payments") {
			t.Errorf("%s: %s", name, notes)
		}
		for _, hint := range []string{"networkPolicy.core", "serviceMonitor.enabled"} {
			if strings.Contains(notes, hint) != slices.Contains(hints, hint) {
				t.Errorf("%s, %s: %s", name, hint, notes)
			}
		}
	}
}

// TestReadme: the table of values in the README is that of the schema and of values.yaml.
func TestReadme(t *testing.T) {
	const file, begin, end = chartDir + "/README.md", "| value | default | description |\n|---|---|---|\n", "\n\n## "
	var schema property
	must(t, json.Unmarshal(load(t).Schema, &schema))
	defaults := map[string]any{}
	must(t, yaml.Unmarshal([]byte(read(t, chartDir+"/values.yaml")), &defaults))
	want := strings.Join(schema.rows(t, "", defaults), "\n")
	readme := read(t, file)
	before, rest, found := strings.Cut(readme, begin)
	table, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no table of values", file)
	}
	if *update {
		write(t, file, before+begin+want+end+after)
		table = want
	}
	if table != want {
		t.Errorf("go test -update writes another table:\n%s", want)
	}
}

// property is a value in the schema.
type property struct {
	Description string
	Properties  map[string]property
}

// rows are the rows of the table for a property and those below it, with their defaults. A value with a description is
// one row.
func (p property) rows(t *testing.T, path string, defaults map[string]any) (rows []string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
		child, full := p.Properties[name], path+name
		if name == "global" { // of Helm
			continue
		}
		value, known := defaults[name]
		if !known {
			t.Errorf("values.yaml lacks %s", full)
		}
		if child.Description == "" {
			under, ok := value.(map[string]any)
			if !ok {
				t.Errorf("%s has no description", full)
			}
			rows = append(rows, child.rows(t, full+".", under)...)
			continue
		}
		text, err := json.Marshal(value)
		must(t, err)
		rows = append(rows, fmt.Sprintf("| `%s` | `%s` | %s |", full, text, child.Description))
	}
	for name := range defaults {
		if _, known := p.Properties[name]; !known {
			t.Errorf("the schema lacks %s%s", path, name)
		}
	}
	return rows
}
