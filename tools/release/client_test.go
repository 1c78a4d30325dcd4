package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestClient: two clones give the same bytes. npm installs the archive, which has the version of the release and every
// file that its package.json names.
func TestClient(t *testing.T) {
	parts := inBoth(t, func(r *release) ([]file, error) { return r.client(t.Context()) })
	archive := parts[0]
	if archive.name != "pixgraph-client-1.2.3.tgz" || parts[1].name != "SHA256SUMS" || len(parts) != 2 {
		t.Errorf("the files are %s and %s", archive.name, parts[1].name)
	}
	files := unpacked(t, archive.text)
	var manifest struct {
		Version, License string
		Dependencies     map[string]string
		Exports          map[string]map[string]string
	}
	must(t, json.Unmarshal(files["package/package.json"].text, &manifest))
	if manifest.Version != "1.2.3" || manifest.License != "Apache-2.0" || manifest.Dependencies != nil || len(manifest.Exports) < 10 {
		t.Errorf("%+v", manifest)
	}
	for entry, targets := range manifest.Exports {
		for _, target := range targets {
			if _, ok := files["package/"+strings.TrimPrefix(target, "./")]; !ok {
				t.Errorf("%s is %s, which the archive lacks", entry, target)
			}
		}
	}
	for name, e := range files {
		if bytes.Contains(e.text, []byte(clonesDir)) {
			t.Errorf("%s contains %s", name, clonesDir)
		}
	}
	license, err := os.ReadFile("../../LICENSE")
	must(t, err)
	if !bytes.Equal(files["package/LICENSE"].text, license) || len(files["package/README.md"].text) == 0 {
		t.Error("the archive has another license, or no README.md")
	}

	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, archive.name), archive.text, 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte("{}"), 0o600))
	const use = `import('pixgraph-client/money').then(({ formatBRL }) => console.log(formatBRL('123456')))`
	for _, args := range [][]string{{"npm", "install", "--offline", "--no-audit", "--no-fund", archive.name}, {"node", "-e", use}} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil || args[0] == "node" && string(out) != "R$\u00a01.234,56\n" {
			t.Fatalf("%s: %v: %s", args[0], err, out)
		}
	}
	installed, err := os.ReadDir(filepath.Join(dir, "node_modules/pixgraph-client"))
	must(t, err)
	if len(installed) != 4 || !slices.ContainsFunc(installed, func(e os.DirEntry) bool { return e.Name() == "dist" }) {
		t.Errorf("npm installed %v", installed)
	}
}
