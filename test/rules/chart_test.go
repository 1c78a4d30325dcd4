package rules

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"pixgraph/gateway/settings"
)

// The tests of the Helm chart that need the gateway. tools/deploy renders the chart.

// update writes the settings in the schema of the chart's values.
var update = flag.Bool("update", false, "write the settings in the schema of the Helm chart and in docs/settings.md")

const chartSchemaFile = "deploy/helm/pixgraph/values.schema.json"

// settingSchema is the JSON Schema of a setting in the chart's values. YAML reads on and off as Booleans, and sizes in
// bytes as numbers. A secret has no schema: its value is in a Secret.
func settingSchema(s settings.Setting) map[string]any {
	texts := func(values []string) (list []any) {
		for _, value := range values {
			list = append(list, value)
		}
		return list
	}
	schema := map[string]any{"description": s.Help}
	switch {
	case s.Type == "on|off":
		schema["enum"] = append([]any{true, false}, texts(s.Values)...)
	case len(s.Values) > 0:
		schema["enum"] = texts(s.Values)
	case s.Type == "number" || s.Type == "size":
		schema["type"] = []any{"number", "string"}
	case s.List:
		schema["type"], schema["items"] = []any{"array", "string"}, map[string]any{"type": "string"}
	default:
		schema["type"] = "string"
	}
	if s.Key == "listen" || s.Key == "admin_listen" { // ports of the pod, at every address
		schema["pattern"] = "^:[0-9]+$"
	}
	return schema
}

// TestChartSettings: the chart's values accept every setting, in its type, with the description of the table. The value
// of a secret is accepted by reference only, and so may be the files of settings.
func TestChartSettings(t *testing.T) {
	properties, names, files := map[string]any{}, []any{}, []any{}
	for _, setting := range settings.Table() {
		names = append(names, setting.Key)
		if setting.Type == "file" {
			files = append(files, setting.Key)
		}
		if setting.Type != "secret" {
			properties[setting.Key] = settingSchema(setting)
		}
	}
	committed := read(t, chartSchemaFile)
	var schema map[string]any
	if err := json.Unmarshal([]byte(committed), &schema); err != nil {
		t.Fatal(err)
	}
	values := schema["properties"].(map[string]any)
	values["settings"] = map[string]any{
		"description": "settings of the gateway, as in docs/settings.md; secrets belong in `secretSettings`", "type": "object",
		"additionalProperties": false, "required": []any{"listen", "admin_listen"}, "properties": properties,
	}
	values["secretSettings"].(map[string]any)["propertyNames"] = map[string]any{"enum": names}
	values["fileSettings"].(map[string]any)["propertyNames"] = map[string]any{"enum": files}
	var want bytes.Buffer
	encoder := json.NewEncoder(&want)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(schema); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(chartSchemaFile, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if committed != want.String() {
		t.Errorf("%s lacks a setting, or has an old description: run go test ./test/rules -run Settings -update", chartSchemaFile)
	}
}

// TestComposeConfig: the gateway accepts the config file of the compose file.
func TestComposeConfig(t *testing.T) {
	s, err := settings.Load([]string{"--config=deploy/compose/pixgraph.yaml"}, nil)
	if err != nil || !s.Sandbox() || s.Listen != ":8080" {
		t.Errorf("%v: settings %+v", err, s)
	}
}

// TestChartConfig: the gateway accepts the config files and the variables of the chart, as tools/deploy renders them.
func TestChartConfig(t *testing.T) {
	files, err := filepath.Glob("tools/deploy/testdata/*.yaml")
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text := read(t, name)
		var config string
		for document := range strings.SplitSeq(text, "\n---\n") {
			var object struct {
				Kind string
				Data map[string]string
			}
			if err := yaml.Unmarshal([]byte(document), &object); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if object.Kind == "ConfigMap" && object.Data["pixgraph.yaml"] != "" {
				config = object.Data["pixgraph.yaml"]
			}
		}
		var environ []string
		for _, variable := range allMatches(text, `name: (PIXGRAPH_\w+)`) {
			environ = append(environ, variable+"=0123456789abcdef")
		}
		slices.Sort(environ)
		environ = slices.Compact(environ) // the gateway and the doctor have the same
		file := filepath.Join(t.TempDir(), "pixgraph.yaml")
		if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := settings.Load([]string{"--config", file}, environ)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, config)
		}
		if s.Sandbox() || s.Listen != ":8080" || (len(environ) > 0) != (s.LiveNudgeSecret != "") {
			t.Errorf("%s: settings %+v", name, s)
		}
	}
}
