package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"pixgraph/graph"
	"pixgraph/graph/limits"
	"pixgraph/graph/transport"
	"pixgraph/internal/settings"
)

// Rules that the compiler does not enforce: the imports of packages, their comments, the size of files, up-to-date generated code,
// and documents that agree with the code.

// mayImport lists the packages of this module that each package may import. Only main, load tools and tests import the sandbox.
var mayImport = map[string][]string{
	"pixgraph": {
		"pixgraph/auth", "pixgraph/graph/console", "pixgraph/graph/console/operations", "pixgraph/graph/pipeline", "pixgraph/internal/certs",
		"pixgraph/internal/check", "pixgraph/internal/doctor", "pixgraph/internal/egress", "pixgraph/internal/filewatch",
		"pixgraph/internal/httpserver", "pixgraph/internal/memory", "pixgraph/internal/settings", "pixgraph/internal/telemetry", "pixgraph/upstream",
		"pixgraph/upstream/client", "pixgraph/upstream/sandbox",
	},
	"pixgraph/internal/egress":            {"pixgraph/internal/certs", "pixgraph/internal/filewatch", "pixgraph/internal/netcause"},
	"pixgraph/internal/egress/egresstest": {}, // only tests import it
	"pixgraph/auth":                       {"pixgraph/internal/lru", "pixgraph/internal/netcause"},
	"pixgraph/e2e/hostile":                {},
	"pixgraph/internal/buffer":            {},
	"pixgraph/internal/check":             {"pixgraph/graph/limits", "pixgraph/graph/persisted", "pixgraph/graph/pipeline"},
	"pixgraph/internal/lru":               {},
	"pixgraph/internal/memory":            {},
	"pixgraph/internal/netcause":          {},
	"pixgraph/internal/quota":             {},
	"pixgraph/internal/doctor": {
		"pixgraph/auth", "pixgraph/internal/certs", "pixgraph/internal/egress", "pixgraph/internal/netcause", "pixgraph/internal/settings",
		"pixgraph/upstream", "pixgraph/upstream/client", "pixgraph/upstream/http1", "pixgraph/upstream/live",
	},
	"pixgraph/internal/gatewaytest": { // only tests import it
		"pixgraph/auth", "pixgraph/graph/pipeline", "pixgraph/upstream", "pixgraph/upstream/client", "pixgraph/upstream/sandbox",
	},
	"pixgraph/internal/filewatch":       {},
	"pixgraph/internal/certs":           {"pixgraph/internal/filewatch"},
	"pixgraph/internal/certs/certstest": {}, // only tests import it
	"pixgraph/internal/httpserver":      {"pixgraph/internal/certs", "pixgraph/internal/quota"},
	"pixgraph/internal/leaktest":        {},
	"pixgraph/internal/load": {
		"pixgraph/internal/process", "pixgraph/upstream/client", "pixgraph/upstream/sandbox", "pixgraph/upstream/sandbox/issuer", "pixgraph/upstream/sandbox/ledger",
	},
	"pixgraph/internal/process": {},
	"pixgraph/internal/settings": {
		"pixgraph/graph/limits", "pixgraph/graph/persisted", "pixgraph/graph/transport", "pixgraph/internal/certs", "pixgraph/internal/egress",
		"pixgraph/internal/filewatch", "pixgraph/internal/httpserver", "pixgraph/internal/quota", "pixgraph/upstream", "pixgraph/upstream/client",
		"pixgraph/upstream/http1",
		"pixgraph/upstream/live",
	},
	"pixgraph/internal/telemetry": {
		"pixgraph/auth", "pixgraph/graph", "pixgraph/graph/pipeline", "pixgraph/upstream", "pixgraph/upstream/client",
	},
	"pixgraph/graph/pipeline": {
		"pixgraph/auth", "pixgraph/graph", "pixgraph/graph/apierror", "pixgraph/graph/documents", "pixgraph/graph/download", "pixgraph/graph/limits",
		"pixgraph/graph/paging", "pixgraph/graph/persisted", "pixgraph/graph/projection", "pixgraph/graph/trace", "pixgraph/graph/transport",
		"pixgraph/graph/variables", "pixgraph/internal/quota", "pixgraph/upstream", "pixgraph/upstream/client", "pixgraph/upstream/live", "pixgraph/upstream/pix",
		"pixgraph/upstream/wire",
	},
	"pixgraph/graph": {
		"pixgraph/auth", "pixgraph/graph/apierror", "pixgraph/graph/calls", "pixgraph/graph/documents", "pixgraph/graph/generated",
		"pixgraph/graph/limits", "pixgraph/graph/paging", "pixgraph/graph/projection", "pixgraph/graph/summary", "pixgraph/graph/trace",
		"pixgraph/internal/lru", "pixgraph/internal/quota", "pixgraph/upstream", "pixgraph/upstream/client", "pixgraph/upstream/live", "pixgraph/upstream/pix",
	},
	"pixgraph/graph/trace":              {"pixgraph/upstream", "pixgraph/upstream/client"},
	"pixgraph/graph/apierror":           {},
	"pixgraph/graph/calls":              {},
	"pixgraph/graph/console":            {"pixgraph/graph/console/operations"},
	"pixgraph/graph/console/operations": {},
	"pixgraph/graph/documents":          {"pixgraph/internal/lru"},
	"pixgraph/graph/download": {
		"pixgraph/graph/apierror", "pixgraph/graph/calls", "pixgraph/graph/documents", "pixgraph/graph/paging", "pixgraph/graph/projection",
		"pixgraph/upstream/wire",
	},
	"pixgraph/graph/limits":    {"pixgraph/graph/apierror", "pixgraph/graph/calls"},
	"pixgraph/graph/persisted": {"pixgraph/graph/apierror", "pixgraph/internal/filewatch", "pixgraph/internal/lru"},
	"pixgraph/graph/transport": {
		"pixgraph/graph/apierror", "pixgraph/graph/download", "pixgraph/internal/quota", "pixgraph/upstream/live", "pixgraph/upstream/wire",
	},
	"pixgraph/graph/variables": {},
	"pixgraph/graph/generate":  {"pixgraph/graph/calls"},
	"pixgraph/graph/generated": {
		"pixgraph/graph/paging", "pixgraph/graph/projection", "pixgraph/graph/scalar", "pixgraph/graph/summary", "pixgraph/upstream",
	},
	"pixgraph/graph/paging": {"pixgraph/graph/apierror", "pixgraph/upstream", "pixgraph/upstream/client"},
	"pixgraph/graph/projection": {
		"pixgraph/graph/calls", "pixgraph/graph/documents", "pixgraph/graph/paging", "pixgraph/internal/buffer", "pixgraph/internal/quota",
		"pixgraph/upstream", "pixgraph/upstream/wire",
	},
	"pixgraph/graph/summary": {"pixgraph/graph/apierror", "pixgraph/graph/paging", "pixgraph/upstream", "pixgraph/upstream/client"},
	"pixgraph/graph/scalar":  {"pixgraph/graph/apierror", "pixgraph/upstream"},
	"pixgraph/upstream":      {"pixgraph/upstream/pix", "pixgraph/upstream/wire"},
	"pixgraph/upstream/live": {"pixgraph/upstream", "pixgraph/upstream/client", "pixgraph/upstream/wire"},
	"pixgraph/upstream/client": {
		"pixgraph/internal/buffer", "pixgraph/internal/egress", "pixgraph/internal/netcause", "pixgraph/internal/quota", "pixgraph/upstream",
		"pixgraph/upstream/http1", "pixgraph/upstream/nethttp", "pixgraph/upstream/pix", "pixgraph/upstream/wire",
	},
	"pixgraph/upstream/contract":       {},
	"pixgraph/upstream/http1":          {"pixgraph/internal/buffer", "pixgraph/internal/quota"},
	"pixgraph/upstream/nethttp":        {"pixgraph/internal/netcause", "pixgraph/upstream/http1"},
	"pixgraph/upstream/wire":           {"pixgraph/internal/buffer"},
	"pixgraph/upstream/pix":            {},
	"pixgraph/upstream/sandbox":        {"pixgraph/upstream/pix", "pixgraph/upstream/sandbox/issuer", "pixgraph/upstream/sandbox/ledger"},
	"pixgraph/upstream/sandbox/issuer": {},
	"pixgraph/upstream/sandbox/ledger": {"pixgraph/upstream/pix"},
}

// listed is the output of `go list` for a package.
type listed struct {
	ImportPath, Name, Doc, Dir string
	Imports, GoFiles           []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	list, err := listOnce()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

var listOnce = sync.OnceValues(func() (list []listed, err error) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Name,Doc,Dir,Imports,GoFiles", "./...").Output()
	for decoder := json.NewDecoder(bytes.NewReader(out)); err == nil && decoder.More(); {
		var p listed
		err = decoder.Decode(&p)
		list = append(list, p)
	}
	return list, err
})

func TestImportsGoOneWay(t *testing.T) {
	for _, p := range packages(t) {
		allowed, known := mayImport[p.ImportPath]
		if !known {
			t.Errorf("%s is not in mayImport: add it with the packages that it may import", p.ImportPath)
			continue
		}
		for _, path := range p.Imports {
			if strings.HasPrefix(path, "pixgraph") && !slices.Contains(allowed, path) {
				t.Errorf("%s imports %s", p.ImportPath, path)
			}
		}
	}
}

func TestPackageComments(t *testing.T) {
	for _, p := range packages(t) {
		if p.Name != "generated" && !strings.HasPrefix(p.Doc, "Package "+p.Name) && p.Name != "main" || p.Name == "main" && p.Doc == "" {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

// maxLines is the maximum length of a Go file that is not a test.
const maxLines = 350

func TestFileLengths(t *testing.T) {
	for _, p := range packages(t) {
		if p.Name == "generated" {
			continue
		}
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if lines := bytes.Count(text, []byte("\n")); lines > maxLines {
				t.Errorf("%s/%s has %d lines", p.ImportPath, name, lines)
			}
		}
	}
}

// maxLine is the maximum length of a line of a test, in characters.
const maxLine = 160

// TestLineLengths covers the tests in Go and JavaScript, and the tools of e2e.
func TestLineLengths(t *testing.T) {
	tests := 0
	for _, path := range filesOf(t, ".go", ".js", ".ts") {
		isTest := strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "e2e/") || strings.HasPrefix(path, "graph/console/web/test/")
		generated := strings.HasPrefix(path, "e2e/out/") || strings.HasPrefix(path, "e2e/operations/gql/") || strings.HasSuffix(path, ".d.ts")
		if !isTest || generated {
			continue
		}
		tests++
		number := 0
		for line := range strings.Lines(read(t, path)) {
			number++
			if length := utf8.RuneCountInString(strings.TrimRight(line, "\n")); length > maxLine {
				t.Errorf("%s:%d has %d characters", path, number, length)
			}
		}
	}
	if tests < 200 {
		t.Errorf("only %d files found", tests)
	}
}

// TestDependenciesAreExplained: docs/decisions.md has the reason for each direct dependency.
func TestDependenciesAreExplained(t *testing.T) {
	mod := read(t, "go.mod")
	decisions := read(t, "docs/decisions.md")
	direct := regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(mod, -1)
	if len(direct) < 5 {
		t.Fatalf("only %d direct dependencies found in go.mod", len(direct))
	}
	for _, match := range direct {
		if !strings.Contains(decisions, "`"+match[1]+"`") {
			t.Errorf("docs/decisions.md has no reason for %s", match[1])
		}
	}
}

// TestBinaryHasNoTestDependencies: the binary has no modules that only tests need.
func TestBinaryHasNoTestDependencies(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil || !bytes.Contains(out, []byte("\npixgraph/upstream\n")) {
		t.Fatalf("%v: the list lacks our own packages", err)
	}
	for _, module := range []string{
		"github.com/getkin/kin-openapi", "github.com/makiuchi-d/gozxing", "github.com/prometheus/prometheus",
		"github.com/santhosh-tekuri/jsonschema", "go.uber.org/goleak",
	} {
		if bytes.Contains(out, []byte("\n"+module+"/")) || bytes.Contains(out, []byte("\n"+module+"\n")) {
			t.Errorf("the binary has packages of %s", module)
		}
	}
}

// TestSettingsAreDocumented: docs/settings.md ends with the tables of the code.
func TestSettingsAreDocumented(t *testing.T) {
	if !strings.HasSuffix(read(t, "docs/settings.md"), settings.Markdown()) {
		t.Errorf("docs/settings.md does not end with:\n%s", settings.Markdown())
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
		limits.LimitBytes: limits.DefaultBytes, limits.LimitTokens: limits.DefaultTokens, limits.LimitDefinitions: limits.DefaultDefinitions,
		limits.LimitVariables: limits.DefaultVariables, limits.LimitDirectives: limits.DefaultDirectives, limits.LimitNesting: limits.DefaultNesting,
		limits.LimitFields: limits.DefaultFields, limits.LimitAliases: limits.DefaultAliases, limits.LimitRootFields: limits.DefaultRootFields,
		limits.LimitRepetitions: limits.DefaultRepetitions, limits.LimitValidation: limits.DefaultValidation,
		limits.LimitIntrospection: limits.DefaultIntrospection, transport.LimitErrors: transport.DefaultMaxErrors,
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
	for _, file := range []string{"graph/limits/exceeded.go", "graph/transport/errors.go", "internal/quota/account.go"} {
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

// TestGeneratedCode: a run of the generator in a copy of the module generates the committed code.
func TestGeneratedCode(t *testing.T) {
	copied := t.TempDir()
	for _, file := range []string{"go.mod", "go.sum", "gqlgen.yml", "tools.go", "auth", "graph", "internal", "upstream"} {
		copyTree(t, file, filepath.Join(copied, file))
	}
	generate := exec.Command("go", "run", "./graph/generate")
	generate.Dir = copied
	generate.Env = append(os.Environ(), "GOFLAGS=-trimpath") // so that the build cache has what other copies compiled
	if out, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, pattern := range []string{"graph/generated/*", "graph/*resolver*.go"} {
		made, err := filepath.Glob(filepath.Join(copied, pattern))
		if err != nil || len(made) == 0 {
			t.Fatalf("%s: %v, %v", pattern, made, err)
		}
		for _, path := range made {
			name, err := filepath.Rel(copied, path)
			if err != nil {
				t.Fatal(err)
			}
			committed, err := os.ReadFile(name)
			if err != nil || string(committed) != read(t, path) {
				t.Errorf("%s is not up to date: run make generate", name)
			}
		}
	}
}

// copyTree copies the Go and schema files of a file or directory.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == "node_modules" || entry.Name() == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, []byte(read(t, path)), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
