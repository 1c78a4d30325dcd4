package rules

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
	var values []any
	for _, value := range s.Values {
		values = append(values, value)
	}
	schema := map[string]any{"type": "string"}
	if accepts, form := settingForm(s); form != nil {
		schema = mustBe(accepts, form)
	}
	if strings.HasPrefix(s.Type, "on|off") {
		values = append([]any{true, false}, values...)
		if s.Default != "" { // trace has none, and is text to the gateway
			values = append(values, "true", "false")
		}
	}
	if len(values) > 0 {
		schema = map[string]any{"enum": values}
	}
	schema["description"] = s.Help
	return schema
}

// encoded is the JSON of a value; on one line without indentation.
func encoded(t *testing.T, value any, indent string) string {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestChartSettings: the chart's values accept every setting, in its form, with the description of the table. The value
// of a secret is accepted by reference only, and so may be the files of settings. What is generated has one line for
// each setting, form and variable.
func TestChartSettings(t *testing.T) {
	var lines []string // name and JSON of what is on one line
	line := func(value any) string {
		name := fmt.Sprintf("line %d", len(lines)/2)
		lines = append(lines, strconv.Quote(name), strings.TrimSuffix(encoded(t, value, ""), "\n"))
		return name
	}
	properties, names, files := map[string]any{}, []any{}, []any{}
	for _, setting := range settings.Table() {
		if setting.Key != "listen" && setting.Key != "admin_listen" { // the chart reads them
			names = append(names, setting.Key)
		}
		if setting.Type == "file" {
			files = append(files, setting.Key)
		}
		if setting.Type != "secret" {
			properties[setting.Key] = line(settingSchema(setting))
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
	var conditions []any
	for _, condition := range variables() {
		conditions = append(conditions, line(condition))
	}
	values["env"].(map[string]any)["items"].(map[string]any)["allOf"] = conditions
	defs := schema["$defs"].(map[string]any)
	maps.Copy(defs, definitions())
	for name, definition := range defs {
		defs[name] = line(definition)
	}
	want := strings.NewReplacer(lines...).Replace(encoded(t, schema, "  "))
	if *update {
		if err := os.WriteFile(chartSchemaFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if committed != want {
		t.Errorf("%s lacks a setting, or has an old description or form: run go test ./test/rules -run Settings -update", chartSchemaFile)
	}
}

// TestComposeConfig: the gateway accepts the config file of the compose file, and the variables of a fleet.
func TestComposeConfig(t *testing.T) {
	atRoot()
	s, err := settings.Load([]string{"--config=deploy/compose/pixgraph.yaml"}, nil)
	if err != nil || !s.Sandbox() || s.Listen != ":8080" || s.Fleet.URL != "" {
		t.Errorf("%v: settings %+v", err, s)
	}
	var environ []string
	for _, line := range allMatches(read(t, "deploy/compose/fleet.yaml"), `(PIXGRAPH_\w+: \S+)`) {
		environ = append(environ, strings.Replace(line, ": ", "=", 1))
	}
	s, err = settings.Load([]string{"--config=deploy/compose/pixgraph.yaml"}, environ)
	if err != nil || s.Fleet.URL == "" || s.Fleet.PasswordFile == "" {
		t.Errorf("%v: settings %+v with %q", err, s, environ)
	}
}

// TestChartConfig: the gateway accepts the config files and the variables of the chart, as tools/deploy renders them.
func TestChartConfig(t *testing.T) {
	atRoot()
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
