package rules

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pixgraph/fleet"
	"pixgraph/gateway/settings"
	"pixgraph/graph"
	"pixgraph/graph/guard/limits"
	"pixgraph/serve/run"
)

// TestSettingsAreDocumented: docs/settings.md ends with the tables of the code.
func TestSettingsAreDocumented(t *testing.T) {
	const name, first = "docs/settings.md", "\n## "
	text := read(t, name)
	if before, _, _ := strings.Cut(text, first); *update {
		if err := os.WriteFile(name, []byte(before+settings.Markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text != before+settings.Markdown() {
		t.Errorf("%s does not end with the tables of the code: run go test ./test/rules -run Settings -update", name)
	}
}

// TestErrorsAreDocumented: docs/errors.md has every code, and the enum ErrorCode of the schema has the same codes.
func TestErrorsAreDocumented(t *testing.T) {
	document := read(t, "docs/errors.md")
	codes := allMatches(read(t, "graph/apierror/codes.go"), `Code = "([A-Z_]+)"`)
	if len(codes) < 15 {
		t.Fatalf("only %d codes found", len(codes))
	}
	for _, code := range codes {
		if !strings.Contains(document, "`"+code+"`") {
			t.Errorf("docs/errors.md does not explain %s", code)
		}
	}
	if inSchema := allMatches(read(t, "graph/error.graphqls"), `(?m)^  ([A-Z_]+)$`); !slices.Equal(inSchema, codes) {
		t.Errorf("ErrorCode of the schema is\n%v, want the codes and the order of graph/apierror/codes.go\n%v", inSchema, codes)
	}
}

// allMatches returns the first group of each match.
func allMatches(text, pattern string) (found []string) {
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	return found
}

// TestLimitsAreDocumented: docs/limits.md has each limit with its default, and its name in errors.
func TestLimitsAreDocumented(t *testing.T) {
	document := read(t, "docs/limits.md")
	for name, value := range map[string]int{
		limits.LimitBytes: limits.DefaultBytes, limits.LimitTokens: limits.DefaultTokens, limits.LimitDefers: limits.DefaultDefers,
		limits.LimitDepth: limits.DefaultDepth, limits.LimitFields: limits.DefaultFields, limits.LimitDerived: limits.DefaultDerived,
		limits.LimitValidation: limits.DefaultValidation, limits.LimitIntrospection: limits.DefaultIntrospection, run.LimitErrors: run.DefaultMaxErrors,
		graph.LimitLinks: graph.MaxIDs,
	} {
		if !strings.Contains(document, fmt.Sprintf("| `%s` | %d |", name, value)) {
			t.Errorf("docs/limits.md lacks %s with its value %d", name, value)
		}
	}
	for _, setting := range settings.Table() {
		if strings.HasPrefix(setting.Key, "limits_") && !strings.Contains(document, "| `"+setting.Key+"` | "+setting.Default+" |") {
			t.Errorf("docs/limits.md lacks %s with its default %s", setting.Key, setting.Default)
		}
	}
	for _, file := range []string{
		"graph/guard/limits/exceeded.go", "serve/message/errors.go", "serve/run/errors.go", "internal/quota/limits.go",
	} {
		names := regexp.MustCompile(`Limit\w+\s+= "(\w+)"`).FindAllStringSubmatch(read(t, file), -1)
		if len(names) < 2 {
			t.Fatalf("only %d limits found in %s", len(names), file)
		}
		for _, match := range names {
			if !strings.Contains(document, "`"+match[1]+"`") {
				t.Errorf("docs/limits.md lacks %s", match[1])
			}
		}
	}
}

// TestCommandsOfRedisAreDocumented: the rule and the table of docs/operations.md have the commands of the ACL.
func TestCommandsOfRedisAreDocumented(t *testing.T) {
	_, section, _ := strings.Cut(read(t, "docs/operations.md"), "\n## Redis\n")
	section, _, _ = strings.Cut(section, "\nAdd `+select`")
	rule := fleet.Config{URL: "redis://gateway@a", Prefix: "pixgraph:"}.Rule()
	if documented := strings.Replace(rule, "gateway ", "gateway on >PASSWORD ", 1); !strings.Contains(section, documented+"\n") {
		t.Errorf("docs/operations.md lacks %s", documented)
	}
	_, table, _ := strings.Cut(section, "| command |")
	var listed []string
	for _, row := range allMatches(table, "(?m)^\\| (`.*?) \\|") {
		listed = append(listed, allMatches(row, "`([a-z]+)`")...)
	}
	commands := allMatches(rule, `\+([a-z]+)`)
	slices.Sort(listed)
	slices.Sort(commands)
	if !slices.Equal(listed, commands) {
		t.Errorf("the table has\n%v, and the rule\n%v", listed, commands)
	}
}
