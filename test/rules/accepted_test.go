package rules

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"pixgraph/auth"
	"pixgraph/gateway/settings"
	"pixgraph/graph/guard/persisted"
)

// The tests that the chart and the gateway accept the same. The tables are those of tools/deploy, which renders the
// chart with them.

const tables = "tools/deploy/testdata/"

func decode(t *testing.T, name string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, name)), into); err != nil {
		t.Fatal(err)
	}
}

// startWith loads settings in a config file as the chart writes it, and checks them as a gateway does that starts.
func startWith(t *testing.T, values map[string]any) error {
	t.Helper()
	var minimal struct{ Settings map[string]any }
	decode(t, tables+"values/minimal.yaml", &minimal)
	maps.Copy(minimal.Settings, values)
	var config strings.Builder
	for key, value := range minimal.Settings {
		if on, isBool := value.(bool); isBool {
			value = map[bool]string{true: "on", false: "off"}[on]
		}
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&config, "%s: %s\n", key, text)
	}
	file := filepath.Join(t.TempDir(), "pixgraph.yaml")
	if err := os.WriteFile(file, []byte(config.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := settings.Load([]string{"--config", file}, nil)
	if err != nil {
		return err
	}
	if _, err = auth.New(s.Tokens); err != nil {
		return err
	}
	documents, err := persisted.New(s.Persisted)
	if err == nil {
		documents.Close()
	}
	return err
}

// TestChartTables: a gateway accepts and refuses what the tables say.
func TestChartTables(t *testing.T) {
	var values map[string]struct{ Accepted, Refused []any }
	decode(t, tables+"settings/values.yaml", &values)
	for key, of := range values {
		for i, value := range slices.Concat(of.Accepted, of.Refused) {
			set := map[string]any{"live": false, key: value} // with live, two limits depend on each other
			if err := startWith(t, set); (err == nil) != (i < len(of.Accepted)) {
				t.Errorf("%s: %q: %v", key, value, err)
			}
		}
	}
	for _, setting := range settings.Table() {
		_, form := settingForm(setting)
		if of := values[setting.Key]; form != nil && !strings.HasSuffix(setting.Key, "listen") && setting.Key != "console_scopes" &&
			(len(of.Accepted) == 0 || len(of.Refused) == 0) {
			t.Errorf("the table lacks %s", setting.Key)
		}
	}
	var together []struct{ Settings map[string]any }
	decode(t, tables+"settings/together.yaml", &together)
	for _, row := range together {
		if err := startWith(t, row.Settings); err == nil {
			t.Errorf("%v is accepted", row.Settings)
		}
	}
	if err := startWith(t, nil); err != nil || len(together) < 20 {
		t.Errorf("%d rows, %v", len(together), err)
	}
}

// TestChartForms: the schema accepts the random durations, sizes, numbers, URLs and networks that the gateway accepts,
// and no others.
func TestChartForms(t *testing.T) {
	atRoot()
	file, err := filepath.Abs(chartSchemaFile)
	if err != nil {
		t.Fatal(err)
	}
	url := [][]string{
		{"http://", "https://", "HTTPS://", "ftp://", "//", ""},
		{"", "", "", "a@", "a:b@"},
		{"a", "core.example.com", "A_b-c~d", "localhost", "127.0.0.1", "127.0.0.256", "[::1]", "[1::2::3]", "[2001:DB8::1.2.3.4]", "[1:2]"},
		{"", "", ":", ":0", ":1", ":80", ":443", ":65535", ":65536", ":a"},
		{"", "", "/", "/v1/a", "/%2F", "/%2", "/é", "x"},
		{"", "", "?", "?a=b"},
		{"", "", "#", "#a"},
	}
	origin := slices.Concat(url[:4], [][]string{{"", "", "/", "/a"}})
	redis := [][]string{
		{"redis://", "rediss://", "REDIS://", "http://", ""},
		{"", "", "a@"},
		{"a", "redis.example.com", "[::1]", "[1::2::3]", ""},
		{"", "", ":6379", ":a"},
		{"", "", "/0", "/1", "/a", "/1/2"},
		{"", "?", "?db=0", "?db=1&", "?db=a", "?cluster=on", "?cluster=off", "?addr=b:6379", "?master_set=m", "?skip_verify=1",
			"?addr=b:6379&cluster=on", "?cluster=on&addr=b:1&addr=[::1]:6380", "?db=1&cluster=on", "?cluster=on&master_set=m",
			"?master_set=m&addr=b:6379&db=1"},
	}
	number := [][]string{{"", "", "-", "+"}, {"", "0", "1", "9", "99"}, {"", "0", "000", "99999"}, {"", "", ".", "5", " "}, {"", "0", "00"}}
	unit := []string{"", "s", "ms", "us", "µs", "ns", "m", "h", "d", "S"}
	amount := []string{"1", "0", "5", "0.5", ".5", "5.", ".", "", "50", "1.2.3"}
	digits := []string{"", "0", "1", "5", "10", "1048576"}
	forms := map[string][][]string{
		"core_url": url, "redis_url": redis, "core_proxy": url, "auth_issuer": url, "cors_origins": origin,
		"operation_timeout":    {{"", "", "", "+", "-"}, amount, unit, {"", "", "1"}, {"", "", "ms", "s"}},
		"shutdown_delay":       {{"", "", "+"}, amount, unit, {"", "0"}, {"", "s"}},
		"limits_memory":        {digits, digits, {"", "B", "KiB", "MiB", "GiB", "TiB", "MB", " MiB", "mib"}},
		"upstream_concurrency": number, "upstream_breaker_percent": number,
		"rate_identity":        append([][]string{{"", "+"}}, number[1:]...),
		"rate_trusted_proxies": {{"10.0.0.0", "::", "1:2", "256.0.0.0", "1.2.3"}, {"/", ""}, {"0", "8", "32", "33", "128", "129", "08", ""}, {"", "", ",", ", ::/0"}},
	}
	for key, parts := range forms {
		t.Run(key, func(t *testing.T) {
			schema, err := jsonschema.NewCompiler().Compile("file://" + file + "#/properties/settings/properties/" + key)
			if err != nil {
				t.Fatal(err)
			}
			flags := []string{"--live=off", "--dispatcher-url=https://a"}
			if key != "core_url" {
				flags = append(flags, "--core-url=https://a")
			}
			random, agreed := rand.New(rand.NewPCG(1, 2)), map[bool]int{}
			for n := 0; n < 300 || n < 2000 && min(agreed[true], agreed[false]) < 5; n++ {
				var value string
				for _, part := range parts {
					value += part[random.IntN(len(part))]
				}
				s, err := settings.Load(append(flags, "--"+key+"="+value), nil)
				accepts := err == nil
				if key == "auth_issuer" && accepts {
					_, err = auth.New(auth.Config{Issuers: s.Tokens.Issuers, Audiences: []string{"a"}})
					accepts = err == nil
				}
				if strings.Contains(key, "_timeout") || strings.Contains(key, "_delay") { // the templates check the range
					d, err := time.ParseDuration(value)
					accepts = err == nil && d >= 0 && !strings.HasPrefix(value, "-")
				}
				if got := schema.Validate(value) == nil; got != accepts {
					t.Fatalf("%q: the chart accepts it: %t, the gateway: %t", value, got, accepts)
				}
				agreed[accepts]++
			}
			if agreed[true] < 5 || agreed[false] < 5 {
				t.Errorf("only %v values", agreed)
			}
		})
	}
}

// TestChartPatterns: the patterns of numbers and of addresses match what strconv and netip accept.
func TestChartPatterns(t *testing.T) {
	for _, limit := range []int64{1, 9, 10, 32, 100, 128, 4096, 65535} {
		pattern := regexp.MustCompile("^" + upTo(limit) + "$")
		for _, near := range []int64{0, limit / 10, limit, 10 * limit} {
			for n := max(0, near-200); n < near+200; n++ {
				if pattern.MatchString(strconv.FormatInt(n, 10)) != (n >= 1 && n <= limit) {
					t.Fatalf("upTo(%d) of %d", limit, n)
				}
			}
		}
	}
	address, random, valid := regexp.MustCompile("^("+ipv4+"|"+ipv6()+")$"), rand.New(rand.NewPCG(1, 2)), 0
	parts := []string{":", ":", ":", "::", "0", "1", "ab", "ffff", "FFFFF", "1.2.3.4", "255.1.1.256"}
	for range 30_000 {
		var text string
		for range random.IntN(17) {
			text += parts[random.IntN(len(parts))]
		}
		_, err := netip.ParseAddr(text)
		if address.MatchString(text) != (err == nil) {
			t.Fatalf("%q: %v", text, err)
		}
		if err == nil {
			valid++
		}
	}
	if valid < 50 {
		t.Errorf("only %d addresses", valid)
	}
}
