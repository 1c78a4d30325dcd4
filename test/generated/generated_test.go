// Package generated tests that the committed code is what its generators make. make verify runs it, since the generators
// take longer to compile than to run.
package generated

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGeneratedCode: a run of the generator in a copy of the module generates the committed code.
func TestGeneratedCode(t *testing.T) {
	t.Chdir("../..")
	copied := t.TempDir()
	for _, file := range []string{"go.mod", "go.sum", "gqlgen.yml", "tools.go", "auth", "fleet", "graph", "internal", "request", "upstream"} {
		copyTree(t, file, filepath.Join(copied, file))
	}
	generate := exec.Command("go", "run", "./graph/generate")
	generate.Dir = copied
	generate.Env = append(os.Environ(), "GOFLAGS=-trimpath "+os.Getenv("GOFLAGS")) // so that the build cache has what other copies compiled
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
			if err != nil || string(committed) != string(read(t, path)) {
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
		return os.WriteFile(target, read(t, path), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
