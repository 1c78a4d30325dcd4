package rules

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

	"pixgraph/gateway/settings"
	"pixgraph/graph"
	"pixgraph/graph/guard/limits"
	"pixgraph/graph/transport"
)

// layers lists the packages of this module from top to bottom, each with the packages that it may import, which stand below it. So
// the imports of the folders of the root go one way too. Only the process, tests and tools import the sandbox.
var layers = []struct{ name, imports string }{
	{"test/gatewaytest", "auth graph/pipeline upstream upstream/client upstream/sandbox"},
	{"test/binary", ""},
	{"test/hostile", ""},
	{"test/rules", ""},
	{"", "gateway"},
	{"gateway", "auth gateway/check gateway/doctor gateway/settings gateway/telemetry graph/console graph/console/operations " +
		"graph/pipeline internal/certs internal/egress internal/filewatch internal/httpserver internal/memory internal/quota " +
		"upstream upstream/client upstream/http1 upstream/sandbox"},
	{"gateway/check", "graph/guard/limits graph/guard/persisted graph/pipeline"},
	{"gateway/doctor", "auth gateway/settings internal/certs internal/egress internal/netcause upstream upstream/client upstream/http1 " +
		"upstream/live"},
	{"gateway/settings", "auth graph/guard/limits graph/guard/persisted graph/transport graph/transport/cors internal/certs internal/egress " +
		"internal/filewatch internal/httpserver upstream upstream/client upstream/live"},
	{"gateway/telemetry", "auth graph graph/pipeline upstream upstream/client"},
	{"graph/console", "graph/console/operations"},
	{"graph/generate", "graph/execute/calls"},
	{"graph/pipeline", "auth graph graph/apierror graph/execute/documents graph/execute/download graph/execute/paging " +
		"graph/execute/projection graph/guard/limits graph/guard/persisted graph/guard/variables graph/trace " +
		"graph/transport graph/transport/cors internal/quota upstream upstream/client upstream/live upstream/pix upstream/wire"},
	{"graph/transport", "graph/apierror graph/execute/download internal/quota upstream/live upstream/wire"},
	{"graph", "auth graph/apierror graph/execute/calls graph/execute/documents graph/execute/paging graph/execute/projection " +
		"graph/execute/summary graph/generated graph/guard/limits graph/trace internal/lru internal/quota upstream " +
		"upstream/client upstream/live upstream/pix"},
	{"graph/generated", "graph/execute/paging graph/execute/projection graph/execute/summary graph/scalar upstream"},
	{"graph/scalar", "graph/apierror upstream"},
	{"graph/trace", "upstream upstream/client"},
	{"graph/console/operations", ""},
	{"graph/execute/download", "graph/apierror graph/execute/calls graph/execute/documents graph/execute/paging graph/execute/projection " +
		"upstream/wire"},
	{"graph/execute/projection", "graph/execute/calls graph/execute/documents graph/execute/paging internal/buffer internal/quota upstream " +
		"upstream/wire"},
	{"graph/execute/documents", "internal/lru"},
	{"graph/execute/summary", "graph/apierror graph/execute/paging upstream upstream/client"},
	{"graph/execute/paging", "graph/apierror upstream upstream/client"},
	{"graph/transport/cors", ""},
	{"graph/guard/limits", "graph/apierror graph/execute/calls"},
	{"graph/guard/persisted", "graph/apierror internal/filewatch internal/lru"},
	{"graph/guard/variables", ""},
	{"graph/apierror", ""},
	{"graph/execute/calls", ""},
	{"auth", "internal/lru internal/netcause"},
	{"upstream/contract", ""},
	{"upstream/live", "upstream upstream/client upstream/wire"},
	{"upstream/client", "internal/buffer internal/egress internal/netcause internal/quota upstream upstream/http1 upstream/nethttp " +
		"upstream/pix upstream/wire"},
	{"upstream/nethttp", "internal/netcause upstream/http1"},
	{"upstream/http1", "internal/buffer internal/quota"},
	{"upstream/sandbox", "upstream/pix upstream/sandbox/issuer upstream/sandbox/ledger"},
	{"upstream", "upstream/pix upstream/wire"},
	{"upstream/wire", "internal/buffer"},
	{"upstream/sandbox/issuer", ""},
	{"upstream/sandbox/ledger", "upstream/pix"},
	{"upstream/pix", ""},
	{"internal/buffer", ""},
	{"internal/egress", "internal/certs internal/filewatch internal/netcause"},
	{"internal/httpserver", "internal/certs internal/quota"},
	{"internal/certs", "internal/filewatch"},
	{"internal/filewatch", ""},
	{"internal/leaktest", ""},
	{"internal/lru", ""},
	{"internal/memory", ""},
	{"internal/netcause", ""},
	{"internal/process", ""},
	{"internal/quota", ""},
	{"internal/certs/certstest", ""},
	{"internal/egress/egresstest", ""},
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
	below := map[string][]string{}
	var folders []string // of the root, from the bottom to the top
	for _, layer := range slices.Backward(layers) {
		imports := strings.Fields(layer.imports)
		for _, name := range imports {
			if _, isBelow := below[name]; !isBelow {
				t.Errorf("%s may import %s, which does not stand below it", layer.name, name)
			}
		}
		below[layer.name] = imports
		folder, _, _ := strings.Cut(layer.name, "/")
		if i := slices.Index(folders, folder); i < 0 {
			folders = append(folders, folder)
		} else if i < len(folders)-1 {
			t.Errorf("%s does not stand among the packages of %s", layer.name, folder)
		}
	}
	for _, p := range packages(t) {
		name := relative(p.ImportPath)
		allowed, isListed := below[name]
		if !isListed {
			t.Errorf("%s is not in layers: add it with the packages that it may import", p.ImportPath)
		}
		for _, path := range p.Imports {
			if strings.HasPrefix(path, "pixgraph") && !slices.Contains(allowed, relative(path)) {
				t.Errorf("%s imports %s", p.ImportPath, path)
			}
		}
	}
}

// relative is the path of a package in the repository; "" for the binary.
func relative(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, "pixgraph"), "/")
}

func TestPackageComments(t *testing.T) {
	for _, p := range packages(t) {
		if len(p.GoFiles) == 0 { // tests only
			continue
		}
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
		isTest := strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "test/e2e/") || strings.HasPrefix(path, "graph/console/web/test/")
		generated := strings.HasPrefix(path, "test/e2e/out/") || strings.HasPrefix(path, "test/e2e/operations/gql/") || strings.HasSuffix(path, ".d.ts")
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
		"github.com/rogpeppe/go-internal", "github.com/santhosh-tekuri/jsonschema", "go.uber.org/goleak",
	} {
		if bytes.Contains(out, []byte("\n"+module+"/")) || bytes.Contains(out, []byte("\n"+module+"\n")) {
			t.Errorf("the binary has packages of %s", module)
		}
	}
}

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
	for _, file := range []string{"graph/guard/limits/exceeded.go", "graph/transport/errors.go", "internal/quota/account.go"} {
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
