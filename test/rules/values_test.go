package rules

import (
	"fmt"
	"strconv"
	"strings"

	"pixgraph/gateway/settings"
	"pixgraph/upstream"
)

// The forms of values in the schema of the Helm chart, as JSON Schema.

// mustBe refuses the values that a form does not have. JSON Schema lacks messages, but Helm shows the constant that a
// value should have been: the text that says what is accepted. The text itself is refused too.
func mustBe(accepts string, form map[string]any) map[string]any {
	text := map[string]any{"const": accepts}
	return map[string]any{"if": form, "else": map[string]any{"const": accepts, "not": text}}
}

func anyOf(forms ...any) map[string]any { return map[string]any{"anyOf": forms} }

func matching(pattern string) map[string]any {
	return map[string]any{"type": "string", "pattern": "^(" + pattern + ")$"}
}

func between(kind string, lowest, highest any) map[string]any {
	return map[string]any{"type": kind, "minimum": lowest, "maximum": highest}
}

// upTo matches the whole numbers from 1 to n.
func upTo(n int64) string {
	digits := strconv.FormatInt(n, 10)
	last, options := len(digits)-1, []string{digits}
	if last > 0 {
		options = append(options, fmt.Sprintf("[1-9][0-9]{0,%d}", last-1))
	}
	for i, digit := range digits {
		first := '0'
		if i == 0 {
			first = '1'
		}
		if digit > first {
			options = append(options, fmt.Sprintf("%s[%c-%c][0-9]{%d}", digits[:i], first, digit-1, last-i))
		}
	}
	return "(" + strings.Join(options, "|") + ")"
}

const (
	octet = `(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])`
	ipv4  = octet + `(\.` + octet + `){3}`
	// maxSize is the limit of sizes in gateway/settings.
	maxSize = 1 << 40
)

// ipv6 matches an address of RFC 3986, section 3.2.2.
func ipv6() string {
	const group = `[0-9A-Fa-f]{1,4}`
	last := "(" + group + ":" + group + "|" + ipv4 + ")"
	options := []string{"(" + group + ":){6}" + last, "::(" + group + ":){5}" + last}
	for n := range 5 {
		options = append(options, fmt.Sprintf("((%[1]s:){0,%[2]d}%[1]s)?::(%[1]s:){%[3]d}%[4]s", group, n, 4-n, last))
	}
	options = append(options, fmt.Sprintf("((%[1]s:){0,5}%[1]s)?::%[1]s", group), fmt.Sprintf("((%[1]s:){0,6}%[1]s)?::", group))
	return "(" + strings.Join(options, "|") + ")"
}

func network() string {
	return "(" + ipv4 + "/(0|" + upTo(32) + ")|" + ipv6() + "/(0|" + upTo(128) + "))"
}

// A host is a name or an address. net/url accepts more that no name has: escapes, punctuation, other alphabets, zones,
// and ports with leading zeros.
func host() string { return `([A-Za-z0-9._~-]+|\[` + ipv6() + `\])` }
func port() string { return "(:" + upTo(65535) + ")" }

// pathOf matches the path of a URL. Within a list it has neither commas nor spaces.
func pathOf(without string) string {
	return `(/([^\x00-\x1f?#%\x7f` + without + `]|%[0-9A-Fa-f]{2})*)?`
}

const (
	http, https = "[Hh][Tt][Tt][Pp]://", "[Hh][Tt][Tt][Pp][Ss]://"
	query       = `(\?[^\x00-\x20,#\x7f]*)?#?`
)

// issuerURL matches the URLs that package auth trusts.
func issuerURL() string {
	loopback := `(localhost|127(\.` + octet + `){3}|\[::1\])`
	return "(" + https + host() + "|" + http + loopback + ")" + port() + "?" + pathOf(", ") + `\??#?`
}

// webURL matches the URLs of the endpoints of issuers and of collectors.
func webURL() string {
	return "(" + https + "|" + http + ")" + host() + port() + "?" + pathOf(", ") + query
}

// redisURL is the form of the URLs of package fleet, without a password and without escapes.
func redisURL() map[string]any {
	const database, user = "[0-9]{1,9}", "([A-Za-z0-9._~-]+@)?"
	parameter := "(db=" + database + "|cluster=on|master_set=[A-Za-z0-9._-]+|addr=" + host() + port() + ")"
	form := matching("|[Rr][Ee][Dd][Ii][Ss][Ss]?://" + user + host() + port() + "?(/" + database + `)?(\?` + parameter + "?(&" + parameter + "?)*)?|" +
		"[Uu][Nn][Ii][Xx]://" + user + `/[A-Za-z0-9._/-]+(\?db=` + database + ")?")
	having := func(pattern string) map[string]any { return map[string]any{"pattern": pattern} }
	form["allOf"] = []any{
		map[string]any{"if": having("[?&]addr="), "then": having("[?&](cluster|master_set)=")},
		map[string]any{"if": having("[?&]cluster="), "then": map[string]any{"not": having(`[?&]master_set=|([^/]/|[?&]db=)0*[1-9]`)}},
	}
	return form
}

// duration is what time.ParseDuration accepts, without negative ones. The chart's templates check the range.
func duration() string { return `\+?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)` }

func size() map[string]any {
	var units []string
	for i, name := range []string{"", "KiB", "MiB", "GiB", "TiB"} {
		units = append(units, upTo(maxSize>>(10*i))+name)
	}
	return anyOf(between("integer", 1, int64(maxSize)), matching(strings.Join(units, "|")))
}

// rate is a number of at least 0.001, or 0. As text, it has no exponent.
func rate() map[string]any {
	return anyOf(map[string]any{"const": 0}, between("number", 0.001, 1_000_000),
		matching(`\+?(0+(\.0*)?|\.0+|0*\.0{0,2}[1-9][0-9]*|0*[1-9][0-9]{0,5}(\.[0-9]*)?|0*1000000(\.0*)?)`))
}

// count is a whole number between those in the text about it.
func count(accepts string) map[string]any {
	var lowest, highest int64
	if _, err := fmt.Sscanf(accepts, "a number from %d to %d", &lowest, &highest); err != nil {
		panic(err)
	}
	pattern := upTo(highest)
	if lowest == 0 {
		pattern = "0|" + pattern
	}
	return anyOf(between("integer", lowest, highest), matching(pattern))
}

// listOf is a list in YAML, or as text with commas.
func listOf(item string, mayBeEmpty bool) map[string]any {
	text, items := `\s*`+item+`\s*(,\s*`+item+`\s*)*`, map[string]any{"type": "array", "items": matching(item)}
	if mayBeEmpty {
		text = "|" + text
	} else {
		items["minItems"] = 1
	}
	return anyOf(matching(text), items)
}

// settingForm is what the gateway accepts for a setting, as text and as a form. Without a form, every string is
// accepted.
func settingForm(s settings.Setting) (accepts string, form map[string]any) {
	accepts = s.Accepts
	empty := "" // an alternative of a pattern
	if s.Default == "" {
		empty = "|"
	}
	list := func(item string) map[string]any { return listOf(item, s.Default == "") }
	switch s.Type + " " + s.Key {
	case "address listen", "address admin_listen": // ports of the pod, at every address
		return "a port such as :8080, for all interfaces", matching(port())
	case "list auth_issuer":
		return accepts, list(issuerURL())
	case "URL public_url":
		return accepts, matching(empty + "(" + https + "|" + http + ")" + host() + port() + `?(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*/?`)
	case "list cors_origins":
		origin := `https?://([a-z0-9._-]+|\[` + strings.ReplaceAll(ipv6(), "A-F", "") + `\])` + port() + "?"
		form = anyOf(list(origin), matching(`\s*\*\s*`), map[string]any{"const": []any{"*"}})
		standard := `(http://[^,]*:80|https://[^,]*:443)` // the default ports, which origins lack
		form["not"] = anyOf(map[string]any{"type": "string", "pattern": standard + `\s*(,|$)`},
			map[string]any{"type": "array", "contains": matching(standard)})
		return accepts, form
	case "URL redis_url":
		return accepts + ", without a password: a URL with one belongs in secretSettings", redisURL()
	case "prefix redis_prefix":
		return accepts, matching(`[A-Za-z0-9:._{}-]{1,24}`)
	case "list rate_trusted_proxies":
		return accepts, list(network())
	}
	switch {
	case s.Type == "list":
		return accepts, list(`[^,\s]([^,]*[^,\s])?`)
	case strings.HasSuffix(s.Key, "_proxy"):
		return accepts, matching(empty + http + host() + port() + "/?#?")
	case s.Type == "URL":
		return accepts, matching("(" + https + "|" + http + ")" + host() + port() + "?" + pathOf("") + "#?")
	case s.Type == "duration":
		return accepts, matching(duration())
	case s.Type == "size":
		return accepts, size()
	case s.Type == "number" && strings.Contains(accepts, "0.5"):
		return accepts, rate()
	case s.Type == "number":
		return accepts, count(accepts)
	case s.Type == "name":
		form = matching(empty + `[A-Za-z0-9._~$\[\]-]+`)
		form["not"] = map[string]any{"enum": upstream.FilterParameters()}
		return accepts, form
	case s.Type == "pointer":
		return accepts, matching(empty + "(/([^~]|~[01])*)")
	}
	return accepts, nil
}

// notBoth accepts objects that lack a property, or all of the others.
func notBoth(one string, others ...string) map[string]any {
	var both []any
	for _, other := range others {
		both = append(both, map[string]any{"required": []any{one, other}})
	}
	return map[string]any{"not": anyOf(both...)}
}

// definitions are the forms of Kubernetes, to which the schema refers. The names and the limits are those of its
// documentation, "Object Names and IDs", "Labels and Selectors" and "Resource Management".
func definitions() map[string]any {
	const label = `([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)`
	const name = `[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*`
	long := matching(name)
	long["maxLength"] = 253
	key := matching("(" + name + "/)?" + label)
	key["not"] = map[string]any{"pattern": `^app\.kubernetes\.io/(name|instance|component)$|^checksum/config$`}
	component := `[a-z0-9]+((\.|_{1,2}|-+)[a-z0-9]+)*`
	objectOf := func(values any) map[string]any {
		return map[string]any{"type": "object", "propertyNames": map[string]any{"$ref": "#/$defs/labelKey"}, "additionalProperties": values}
	}
	return map[string]any{
		"annotations": objectOf(map[string]any{"type": "string"}),
		"cidr":        mustBe("a network such as 192.0.2.0/24", matching(network())),
		"digest":      mustBe("a digest, sha256: and 64 hexadecimal digits in lower case, or empty", matching("(sha256:[0-9a-f]{64})?")),
		"fileKey":     mustBe(`a key of letters, digits, "-", "_" and "."`, matching(`\.?[-_A-Za-z0-9][-._A-Za-z0-9]{0,251}`)),
		"interval":    mustBe("a duration such as 30s", matching("[1-9][0-9]*(ms|s|m)")),
		"labelKey":    mustBe("the key of a label, such as example.com/tier, which the chart does not set itself", key),
		"labels":      objectOf(mustBe(`text of at most 63 letters, digits, "-", "_" and ".", in quotes if it is a number or a Boolean`, matching(label+"?"))),
		"mountPath":   mustBe("an absolute path without a colon", matching("/[^:]+")),
		"name":        mustBe(`the name of an object: lower-case letters, digits, "-" and "."`, long),
		"port":        mustBe("a port from 1 to 65535", between("integer", 1, 65535)),
		"peerKind":    mustBe("a peer with an ipBlock alone, or with selectors", notBoth("ipBlock", "podSelector", "namespaceSelector")),
		"portName":    mustBe("a port from 1 to 65535, or the name of one", anyOf(between("integer", 1, 65535), matching("[a-z0-9-]{0,14}[a-z][a-z0-9-]{0,14}"))),
		"quantity": mustBe("a quantity such as 500m or 256Mi", anyOf(map[string]any{"type": "number", "minimum": 0},
			matching(`\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][-+]?[0-9]+)?`))),
		"repository": mustBe("the name of an image with its registry, such as registry.example.com/pixgraph, without scheme, tag and digest",
			matching(`(([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(:[0-9]+)?/)?`+component+"(/"+component+")*")),
		"share": mustBe("a number of pods, or a percentage such as 25%",
			anyOf(map[string]any{"type": "integer", "minimum": 0}, matching("[0-9]+|(100|[1-9]?[0-9])%"))),
		"source": mustBe("a Secret or a ConfigMap: secret or configMap, with its name", map[string]any{
			"oneOf": []any{map[string]any{"required": []any{"secret"}}, map[string]any{"required": []any{"configMap"}}},
		}),
		"tag":      mustBe(`a tag of letters, digits, "-", "_" and ".", in quotes if it is a number, or empty`, matching("([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?")),
		"variable": mustBe(`the name of a variable: letters, digits, "-", "_" and "."`, matching("[-._A-Za-z][-._A-Za-z0-9]*")),
	}
}

// variables are the conditions of variables of the environment: those of settings accept what the settings accept. The
// ports of the pod are in settings only, and the chart opens the port of the collector. Kubernetes expands $(NAME) in a
// value, so such a value is not checked.
func variables() (conditions []any) {
	names := []any{settings.TokenVariable}
	add := func(name string, then map[string]any) {
		of := map[string]any{"name": map[string]any{"pattern": name}, "value": map[string]any{"not": map[string]any{"pattern": `\$\(`}}}
		conditions = append(conditions, map[string]any{"if": map[string]any{"properties": of}, "then": then})
	}
	value := func(schema map[string]any) map[string]any {
		return map[string]any{"properties": map[string]any{"value": schema}}
	}
	for _, setting := range settings.Table() {
		name := settings.Prefix + strings.ToUpper(setting.Key)
		switch {
		case setting.Key == "listen" || setting.Key == "admin_listen":
			continue
		case setting.Type == "secret":
			add("^"+name+"$", map[string]any{"required": []any{"valueFrom"}})
		default:
			add("^"+name+"$", value(map[string]any{"$ref": "#/properties/settings/properties/" + setting.Key}))
		}
		names = append(names, name)
	}
	known := map[string]any{"properties": map[string]any{"name": map[string]any{"enum": names}}}
	conditions = append(conditions, map[string]any{
		"if": map[string]any{"properties": map[string]any{"name": map[string]any{"pattern": "^" + settings.Prefix}}}, "then": known,
	})
	add("^OTEL_EXPORTER_OTLP_(TRACES_)?ENDPOINT$", value(mustBe("a URL such as http://collector:4318", matching("|"+webURL()))))
	add("^OTEL_EXPORTER_OTLP_(TRACES_)?PROTOCOL$", value(map[string]any{"enum": []any{"", "http/protobuf"}}))
	return append(conditions, mustBe("a variable with value or valueFrom, not with both", notBoth("value", "valueFrom")))
}
