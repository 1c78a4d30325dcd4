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

// TestInvalidValues: the chart rejects what the gateway or Kubernetes would reject, and secrets in plain text.
func TestInvalidValues(t *testing.T) {
	tests := []struct{ name, values, reports string }{
		{"an unknown value", "replicaCount: 3", "replicaCount"},
		{"an unknown setting", "settings: {core_uri: https://core.example.com}", "core_uri"},
		{"a secret in plain text", "settings: {live_nudge_secret: 0123456789abcdef}", "live_nudge_secret"},
		{"an unknown secret", "secretSettings: {nudge: {name: a, key: b}}", "nudge"},
		{"a secret without a key", "secretSettings: {live_nudge_secret: {name: a}}", "key"},
		{"a URL with a password", "settings: {redis_url: 'redis://pix:secret@redis'}", "without a password: a URL with one belongs in secretSettings"},
		{"a URL with a password alone", "settings: {redis_url: 'redis://:secret@redis'}", "belongs in secretSettings"},
		{"a URL with a password in a variable", "env: [{name: PIXGRAPH_REDIS_URL, value: 'redis://:secret@redis'}]", "belongs in secretSettings"},
		{"a password in a ConfigMap", "fileSettings: {redis_password_file: {configMap: a, key: b}}", "redis_password_file"},
		{"no port of Redis", "networkPolicy: {redisPorts: []}", "redisPorts"},
		{"an address without a port", "settings: {listen: localhost}", "listen"},
		{"an admin address that probes cannot reach", "settings: {admin_listen: 127.0.0.1:9090}", "admin_listen"},
		{"another type", "settings: {auth_audience: {a: b}}", "auth_audience"},
		{"a value that is no choice", "settings: {auth_mode: none}", "auth_mode"},
		{"a relative path", "mounts: {etc: {secret: a}}", "an absolute path"},
		{"a path that is in use", "mounts: {/etc/pixgraph/config: {secret: a}}", "/etc/pixgraph/config is in use"},
		{"a mount of nothing", "mounts: {/etc/otel: {}}", "~1etc~1otel"},
		{"a file of a setting that has none", "fileSettings: {core_url: {secret: a, key: b}}", "core_url"},
		{"a file without a key", "fileSettings: {core_ca: {secret: a}}", "key"},
		{"a file of two objects", "fileSettings: {core_ca: {secret: a, configMap: b, key: c}}", "/core_ca': value must be 'a Secret or a ConfigMap"},
		{"a key in a ConfigMap", "fileSettings: {tls_key: {configMap: a, key: tls.key}}", "tls_key"},
		{"credentials in a ConfigMap", "fileSettings: {core_proxy_credentials: {configMap: a, key: b}}", "core_proxy_credentials"},
		{"a setting in two places", "settings: {core_ca: /a}\nfileSettings: {core_ca: {secret: a, key: b}}", "core_ca is in settings and in fileSettings"},
		{"a digest with a tag", "image: {digest: 'v1@sha256:00'}", "must be 'a digest"},
		{"an image with a scheme", "image: {repository: 'https://registry.example.com/pixgraph'}", "must be 'the name of an image"},
		{"an image with a tag", "image: {repository: 'registry.example.com/pixgraph:1'}", "must be 'the name of an image"},
		{"an image in capital letters", "image: {repository: Pixgraph}", "must be 'the name of an image"},
		{"a tag with a space", "image: {tag: 'v 1'}", "must be 'a tag"},
		{"a tag that is a number", "image: {tag: 1.0}", "must be 'a tag"},
		{"a pull policy that does not exist", "image: {pullPolicy: Sometimes}", "'Always', 'IfNotPresent', 'Never'"},
		{"a pull secret without its name", "image: {pullSecrets: [registry]}", "got string, want object"},
		{"the name of an object with capital letters", "secretSettings: {core_ca: {name: Core, key: a}}", "must be 'the name of an object"},
		{"a key with a slash", "fileSettings: {core_ca: {secret: a, key: a/b}}", "must be 'a key of letters"},
		{"a path with a colon", "mounts: {'/a:b': {secret: a}}", "an absolute path"},
		{"negative replicas", "replicas: -1", "replicas"},
		{"replicas as text", "replicas: '3'", "got string, want integer"},
		{"half a pod", "replicas: 2.5", "want integer"},
		{"port 0", "settings: {listen: ':0'}", "must be 'a port such as :8080"},
		{"a port above 65535", "settings: {admin_listen: ':65536'}", "must be 'a port such as :8080"},
		{"one port for both addresses", "settings: {listen: ':9090'}", "must be two ports"},
		{"a port of the Service above 65535", "service: {port: 70000}", "must be 'a port from 1 to 65535'"},
		{"a type of the Service", "service: {type: ExternalName}", "ClusterIP"},
		{"an annotation that is no text", "service: {annotations: {example.com/internal: true}}", "got boolean, want string"},
		{"the key of an annotation", "podAnnotations: {'a b': c}", "must be 'the key of a label"},
		{"an annotation of the chart", "podAnnotations: {checksum/config: a}", "which the chart does not set itself"},
		{"a label with a space", "podLabels: {team: a b}", "must be 'text of at most 63"},
		{"a label that is a Boolean", "nodeSelector: {example.com/ssd: true}", "in quotes if it is a number or a Boolean"},
		{"a label that selects the pods", "podLabels: {app.kubernetes.io/name: a}", "which the chart does not set itself"},
		{"a runbook without a scheme", "prometheusRule: {docs: docs.example.com}", "must be 'a URL with http or https"},
		{"a scrape interval", "serviceMonitor: {interval: 30 seconds}", "must be 'a duration such as 30s'"},
		{"no scrape interval", "serviceMonitor: {interval: 0s}", "must be 'a duration such as 30s'"},
		{"a budget that is a word", "podDisruptionBudget: {maxUnavailable: many}", "must be 'a number of pods, or a percentage"},
		{"a budget above 100%", "podDisruptionBudget: {maxUnavailable: 101%}", "must be 'a number of pods, or a percentage"},
		{"a negative budget", "podDisruptionBudget: {maxUnavailable: -1}", "must be 'a number of pods, or a percentage"},
		{"a budget that is a fraction", "podDisruptionBudget: {maxUnavailable: 0.5}", "must be 'a number of pods, or a percentage"},
		{"a minimum above the maximum", "autoscaling: {enabled: true, minReplicas: 5, maxReplicas: 4}", "minReplicas must be at most autoscaling.maxReplicas"},
		{"a percentage as text", "autoscaling: {cpuPercent: 70%}", "cpuPercent"},
		{"memory in words", "resources: {limits: {memory: 1 gigabyte}}", "must be 'a quantity"},
		{"memory in GB", "resources: {limits: {memory: 1GB}}", "must be 'a quantity"},
		{"negative CPU time", "resources: {requests: {cpu: -1}}", "must be 'a quantity"},
		{"resources that do not exist", "resources: {memory: 1Gi}", "'memory' not allowed"},
		{"a request above its limit", "resources: {requests: {memory: 1.5Gi}, limits: {memory: 1024Mi}}", "requests.memory must be at most"},
		{"a request of CPU time above its limit", "resources: {requests: {cpu: 1}, limits: {cpu: 999m}}", "requests.cpu must be at most"},
		{"a peer that does not exist", "networkPolicy: {core: [{podselector: {}}]}", "'podselector' not allowed"},
		{"an address as peer", "networkPolicy: {core: [192.0.2.1]}", "got string, want object"},
		{"a peer without a mask", "networkPolicy: {core: [{ipBlock: {cidr: 192.0.2.1}}]}", "must be 'a network such as 192.0.2.0/24'"},
		{"a peer with two kinds", "networkPolicy: {core: [{ipBlock: {cidr: 192.0.2.0/24}, podSelector: {}}]}", "must be 'a peer with an ipBlock alone"},
		{"a rule that is a peer", "networkPolicy: {egress: [{podSelector: {}}]}", "'podSelector' not allowed"},
		{"a rule with port 0", "networkPolicy: {egress: [{ports: [{port: 0}]}]}", "must be 'a port from 1 to 65535, or the name of one'"},
		{"a protocol that does not exist", "networkPolicy: {egress: [{ports: [{port: 1, protocol: HTTP}]}]}", "'TCP', 'UDP', 'SCTP'"},
		{"a toleration of an effect that does not exist", "tolerations: [{key: a, effect: Never}]", "'NoSchedule'"},
		{"a toleration of nothing", "tolerations: [{operator: Equal, value: a}]", "missing property 'key'"},
		{"an affinity that does not exist", "affinity: {node: {}}", "'node' not allowed"},
		{"a priority class with a space", "priorityClassName: very high", "the name of an object"},
		{"a switch that is a word", "networkPolicy: {enabled: 'yes'}", "got string, want boolean"},
		{"a variable without a name", "env: [{value: a}]", "missing property 'name'"},
		{"variables as an object", "env: {A: b}", "want array"},
		{"a variable that is a number", "env: [{name: A, value: 1}]", "got number, want string"},
		{"a variable with a space", "env: [{name: A B, value: c}]", "must be 'the name of a variable"},
		{"a variable with two values", "env: [{name: A, value: a, valueFrom: {secretKeyRef: {name: a, key: b}}}]", "must be 'a variable with value or valueFrom"},
		{"a variable twice", "env: [{name: A, value: a}, {name: A, value: b}]", "env: A is set twice"},
		{"a variable in a Secret too", "env: [{name: PIXGRAPH_TRACE, value: 'on'}]\nsecretSettings: {trace: {name: a, key: b}}", "PIXGRAPH_TRACE is set twice"},
		{"the variable of no setting", "env: [{name: PIXGRAPH_CORE_URI, value: 'https://a'}]", "'PIXGRAPH_CORE_URL'"},
		{"the variable of a port", "env: [{name: PIXGRAPH_LISTEN, value: ':1'}]", "'PIXGRAPH_CORE_URL'"},
		{"a secret in a variable", "env: [{name: PIXGRAPH_LIVE_NUDGE_SECRET, value: 0123456789abcdef}]", "missing property 'valueFrom'"},
		{"a certificate in a variable without its key", "env: [{name: PIXGRAPH_TLS_CERT, value: /a}]", "tls_cert and tls_key must both be set"},
		{"a certificate without its key", "fileSettings: {tls_cert: {secret: a, key: b}}", "tls_cert and tls_key must both be set"},
		{"a time to end in a Secret", "secretSettings: {shutdown_delay: {name: a, key: b}}", "shutdown_delay must have its value in settings"},
		{"a URL in a Secret", "secretSettings: {core_url: {name: a, key: b}}", "core_url must have its value in settings"},
		{"a time to end by reference", "env: [{name: PIXGRAPH_SHUTDOWN_DELAY, value: $(DELAY)}]", "shutdown_delay must have its value in settings"},
		{"a collector without a scheme", "env: [{name: OTEL_EXPORTER_OTLP_ENDPOINT, value: 'collector:4318'}]", "must be 'a URL such as http://collector:4318'"},
		{"a collector for gRPC", "env: [{name: OTEL_EXPORTER_OTLP_PROTOCOL, value: grpc}]", "'http/protobuf'"},
		{"a collector in a Secret", "env: [{name: OTEL_EXPORTER_OTLP_ENDPOINT, valueFrom: {secretKeyRef: {name: a}}}]", "open its port in networkPolicy.egress"},
		{"a tag as digest", "image: {digest: latest}", "digest"},
		{"no values", "", "_url is required"},
		{"no pods", "replicas: 0", "replicas"},
		{"no core API", "settings: {core_url: ''}", "/settings/core_url': value must be 'a URL"},
		{"no dispatcher API", "settings: {dispatcher_url: ''}", "/settings/dispatcher_url': value must be 'a URL"},
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

// with returns the values of minimal.yaml with more settings.
func with(t *testing.T, settings map[string]any) map[string]any {
	t.Helper()
	values := valuesIn(t, "minimal")
	maps.Copy(values["settings"].(map[string]any), settings)
	return values
}

// TestSettingValues: the chart accepts and refuses what the tables say, which test/rules compares with the gateway, and
// says what it accepts. A variable is checked as the setting is.
func TestSettingValues(t *testing.T) {
	var table map[string]struct{ Accepted, Refused []any }
	must(t, yaml.Unmarshal([]byte(read(t, "testdata/settings/values.yaml")), &table))
	keys := slices.Sorted(maps.Keys(table))
	variables := func(set map[string]any) map[string]any {
		values, list := with(t, map[string]any{"live": false}), []any{}
		for _, key := range keys {
			if text, isText := set[key].(string); isText && text != "" {
				list = append(list, map[string]any{"name": "PIXGRAPH_" + strings.ToUpper(key), "value": text})
			}
		}
		values["env"] = list
		return values
	}
	// refused renders values that are refused, together, and those of which the schema says nothing alone.
	refused := func(set map[string]any, values func(map[string]any) map[string]any) {
		_, together := render(load(t), values(set))
		if together == nil {
			t.Errorf("%v is accepted", set)
			return
		}
		for key, value := range set {
			if strings.Contains(together.Error(), "/"+key+"': value must be ") {
				continue
			}
			_, err := render(load(t), values(map[string]any{key: value}))
			if err == nil || !strings.Contains(err.Error(), "must be ") && !strings.Contains(err.Error(), "must have ") && !strings.Contains(err.Error(), "required") {
				t.Errorf("%s: %q: %v", key, value, err)
			}
		}
	}
	settings := func(set map[string]any) map[string]any {
		values := with(t, map[string]any{"live": false})
		maps.Copy(values["settings"].(map[string]any), set)
		return values
	}
	for i, some := 0, true; some; i++ {
		good, bad := map[string]any{}, map[string]any{}
		for key, of := range table {
			if i < len(of.Accepted) {
				good[key] = of.Accepted[i]
			}
			if i < len(of.Refused) {
				bad[key] = of.Refused[i]
			}
		}
		some = len(good)+len(bad) > 0
		for _, values := range []func(map[string]any) map[string]any{settings, variables} {
			if _, err := render(load(t), values(good)); err != nil {
				t.Errorf("%v: %v", good, err)
			}
		}
		if len(bad) > 0 {
			refused(bad, settings)
		}
	}
	for key, of := range table {
		i := slices.IndexFunc(of.Refused, func(value any) bool { text, isText := value.(string); return isText && text != "" })
		if i >= 0 {
			refused(map[string]any{key: of.Refused[i]}, variables)
		}
	}
	var together []struct {
		Settings map[string]any
		Reason   string
	}
	must(t, yaml.Unmarshal([]byte(read(t, "testdata/settings/together.yaml")), &together))
	for _, row := range together {
		if _, err := render(load(t), with(t, row.Settings)); err == nil || !strings.Contains(err.Error(), row.Reason) {
			t.Errorf("%v: %v", row.Settings, err)
		}
	}
	if len(table) < 30 || len(together) < 20 {
		t.Errorf("%d and %d rows", len(table), len(together))
	}
}
