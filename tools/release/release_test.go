package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// tested are the platforms of the image, so that the tests build each binary only once.
var tested = []platform{{"linux", "amd64"}, {"linux", "arm64"}}

// version is the tag of the commit in the clones.
const version = "v1.2.3"

// clonesDir has the clones. TestMain makes and removes it.
var clonesDir string

// clones are two releases of one commit, in directories with names of different lengths.
var clones = sync.OnceValues(func() (pair [2]*release, err error) {
	for i, name := range []string{"a", filepath.Join("another", "directory")} {
		root := filepath.Join(clonesDir, name)
		if err == nil {
			err = clone("../..", root)
		}
		pair[i] = &release{root: root, source: "https://example.com/pixgraph", built: map[platform]*binary{}}
	}
	return pair, err
})

func TestMain(m *testing.M) {
	var err error
	if clonesDir, err = os.MkdirTemp("", "release"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(clonesDir)
	os.Exit(code)
}

// copyTree copies the files of a repository as they are, without those of git, and of npm only the licenses.
func copyTree(from, to string) error {
	skipped := []string{".git", "bin", "e2e", "out", "pixgraph"}
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case slices.Contains(skipped, d.Name()) && d.IsDir():
			return fs.SkipDir
		case slices.Contains(skipped, d.Name()):
			return nil
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		case strings.Contains(name, "node_modules") && !licenseFile.MatchString(d.Name()):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), text, 0o644)
	})
}

// clone makes a repository of the files as they are, with one commit, whose hash depends on nothing else.
func clone(from, to string) error {
	if err := copyTree(from, to); err != nil {
		return err
	}
	changelog, err := os.OpenFile(filepath.Join(to, "CHANGELOG.md"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer changelog.Close()
	if _, err := fmt.Fprintf(changelog, "\n## [%s] - 2026-01-02\n", strings.TrimPrefix(version, "v")); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-q", "-m", "release"}, {"tag", version}} {
		if err := git(to, args...); err != nil {
			return err
		}
	}
	return nil
}

func git(dir string, args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("git %s: %w: %s", args, err, out)
	}
	return err
}

func releases(t *testing.T) [2]*release {
	t.Helper()
	pair, err := clones()
	must(t, err)
	return pair
}

// inBoth returns the files of a part of a release, which must be the same in both clones.
func inBoth(t *testing.T, part func(*release) ([]file, error)) []file {
	t.Helper()
	pair := releases(t)
	one, err := part(pair[0])
	must(t, err)
	other, err := part(pair[1])
	must(t, err)
	if len(one) != len(other) {
		t.Fatalf("%d files, and %d in another directory", len(one), len(other))
	}
	for i, f := range one {
		if o := other[i]; o.name != f.name || !bytes.Equal(o.text, f.text) {
			t.Errorf("%s: %d bytes, and %d of %s in another directory", f.name, len(f.text), len(o.text), o.name)
		}
	}
	return one
}

// TestBinaries: two clones of a commit give the same bytes, and the files are what they say.
func TestBinaries(t *testing.T) {
	files := inBoth(t, func(r *release) ([]file, error) { return r.binaries(t.Context(), tested) })
	var sums []string
	for _, f := range files {
		if f.name != "SHA256SUMS" {
			sums = append(sums, fmt.Sprintf("%x  %s\n", sha256.Sum256(f.text), f.name))
		} else if string(f.text) != strings.Join(sums, "") {
			t.Errorf("the sums are\n%swant\n%s", f.text, strings.Join(sums, ""))
		}
	}
	for i, p := range tested {
		archive, components := files[2*i], files[2*i+1]
		if want := "pixgraph_1.2.3_" + p.OS + "_" + p.Arch; archive.name != want+".tar.gz" || components.name != want+".cdx.json" {
			t.Errorf("the files are %s and %s, want %s", archive.name, components.name, want)
		}
		within := unpacked(t, archive.text)
		if len(within) != 3 || within["LICENSE"].mode != 0o644 || within["pixgraph"].mode != 0o755 || within[noticesFile].mode != 0o644 {
			t.Fatalf("%s has %d files", archive.name, len(within))
		}
		checkBinary(t, p, within["pixgraph"].text)
		checkNotices(t, within["pixgraph"].text, within[noticesFile].text)
		checkComponents(t, within["pixgraph"].text, components.text)
	}
	if len(files) != 2*len(tested)+1 {
		t.Errorf("%d files", len(files))
	}
}

// unpacked returns the files of a compressed archive.
func unpacked(t *testing.T, compressed []byte) map[string]entry {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	must(t, err)
	files := map[string]entry{}
	for _, e := range untar(t, r) {
		files[e.name] = e
	}
	return files
}

func untar(t *testing.T, r io.Reader) (entries []entry) {
	t.Helper()
	for archive := tar.NewReader(r); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return entries
		}
		must(t, err)
		text, err := io.ReadAll(archive)
		if err != nil || header.Uid != 0 || header.Gid != 0 || header.Uname != "" {
			t.Fatalf("%s of %d:%d %s, %v", header.Name, header.Uid, header.Gid, header.Uname, err)
		}
		entries = append(entries, entry{header.Name, header.Mode, text})
	}
}

// checkBinary: the binary is static, and has the version, and no path of the clone.
func checkBinary(t *testing.T, p platform, text []byte) {
	t.Helper()
	info, err := buildinfo.Read(bytes.NewReader(text))
	must(t, err)
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if info.Main.Version != version || settings["GOOS"] != p.OS || settings["GOARCH"] != p.Arch || settings["CGO_ENABLED"] != "0" ||
		settings["vcs.modified"] != "false" {
		t.Errorf("version %s, %v", info.Main.Version, settings)
	}
	if bytes.Contains(text, []byte(clonesDir)) {
		t.Errorf("the binary for %v contains %s", p, clonesDir)
	}
	file, err := elf.NewFile(bytes.NewReader(text))
	must(t, err)
	machine := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[p.Arch]
	dynamic := slices.ContainsFunc(file.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC })
	if file.Machine != machine || file.Class != elf.ELFCLASS64 || file.Type != elf.ET_EXEC || dynamic {
		t.Errorf("the binary for %v is %v for %v; dynamic: %v", p, file.Type, file.Machine, dynamic)
	}
}

// checkNotices: every module in the binary, Go and the packages of the page are named with a license.
func checkNotices(t *testing.T, text, file []byte) {
	t.Helper()
	info, err := buildinfo.Read(bytes.NewReader(text))
	must(t, err)
	wanted := []string{"Go's standard library", "graphiql 5", "monaco-editor 0", "react-dom 19", "golang.org/x/crypto/x509roots/fallback v"}
	for _, module := range info.Deps {
		wanted = append(wanted, module.Path+" "+module.Version+"\n")
	}
	for _, component := range wanted {
		if !bytes.Contains(file, []byte("\n"+component)) {
			t.Errorf("the notices lack %s", component)
		}
	}
	for _, phrase := range []string{"Apache License", "MIT License", "Redistribution and use in source and binary forms"} {
		if !bytes.Contains(file, []byte(phrase)) {
			t.Errorf("the notices lack %q", phrase)
		}
	}
	for _, other := range []string{"\nvite ", "\ntypescript ", "\ngithub.com/google/go-containerregistry", "\npixgraph", "\r"} {
		if bytes.Contains(file, []byte(other)) {
			t.Errorf("the notices have %q", other)
		}
	}
}

// TestNoticesAreComplete: a component without a license is an error, and each directory above a package counts. A text
// that is not that of a known license is one, unless its file is for notices.
func TestNoticesAreComplete(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"LICENSE": "whole\r\n", "a/b/NOTICE.txt": "part", "a/license.go": "package a"} {
		path := filepath.Join(root, name)
		must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)))
	}
	n := &notices{components: map[string][]string{}, licenses: map[string][]string{}}
	must(t, errors.Join(n.add("m v1", root, "a/b"), n.add("m v1", root, "a"), n.add("other v2", root, ".")))
	if len(n.components) != 2 || !slices.Equal(n.components["whole"], []string{"m v1", "other v2"}) ||
		!slices.Equal(n.components["part"], []string{"m v1 (a/b)"}) {
		t.Errorf("%q", n.components)
	}
	if got := n.licenses["other v2"]; !slices.Equal(got, []string{unknown}) {
		t.Errorf("the licenses are %q", got)
	}
	if err := n.add("none v1", filepath.Join(root, "a"), "."); !errors.Is(err, errNoLicense) {
		t.Errorf("without a license: %v", err)
	}
}

// TestComponentsAreComplete: a component without a hash, or with an unknown license, is an error that names it.
func TestComponentsAreComplete(t *testing.T) {
	const sum = "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
	b := &binary{info: &debug.BuildInfo{GoVersion: "go1.26.8", Deps: []*debug.Module{{Path: "m", Version: "v1", Sum: sum}}}}
	for _, tt := range []struct {
		want, library string
		licenses      []string
	}{
		{"", sum, []string{"MIT", "BSD-3-Clause", "MIT"}},
		{`pkg:golang/m@v1: the license "unknown" is not`, sum, []string{"MIT", unknown}},
		{`pkg:golang/m@v1: the license "AGPL-3.0" is not`, sum, []string{"AGPL-3.0"}},
		{`pkg:golang/m@v1: the license "" is not`, sum, nil},
		{"pkg:golang/stdlib@1.26.8 has no hash", "", []string{"MIT"}},
		{"pkg:golang/stdlib@1.26.8 has no hash", "h1:", []string{"MIT"}},
	} {
		b.notices = &notices{licenses: map[string][]string{goLibrary: {"BSD-3-Clause"}, "m v1": tt.licenses}, library: tt.library}
		list, err := componentsOf("../..", b, cdx.Component{})
		switch {
		case tt.want == "" && (err != nil || !bytes.Contains(list, []byte(`"BSD-3-Clause AND MIT"`))):
			t.Errorf("%v, and the list is %s", err, list)
		case tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)):
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}

// listOf reads a list of components, and checks that each has a license and a hash.
func listOf(t *testing.T, list []byte) (bom cdx.BOM) {
	t.Helper()
	must(t, cdx.NewBOMDecoder(bytes.NewReader(list), cdx.BOMFileFormatJSON).Decode(&bom))
	if bom.SpecVersion != cdx.SpecVersion1_6 || bom.Metadata.Timestamp != "2026-01-02T03:04:05Z" {
		t.Errorf("version %v of the format, at %s", bom.SpecVersion, bom.Metadata.Timestamp)
	}
	for _, c := range append(*bom.Components, *bom.Metadata.Component) {
		if c.Licenses == nil || (*c.Licenses)[0].Expression == "" || c.Hashes == nil || len((*c.Hashes)[0].Value) < 64 {
			t.Errorf("%s has the licenses %v and the hashes %v", c.PackageURL, c.Licenses, c.Hashes)
		}
	}
	return bom
}

// componentOf returns the component of a list with a name.
func componentOf(t *testing.T, bom cdx.BOM, name string) cdx.Component {
	t.Helper()
	i := slices.IndexFunc(*bom.Components, func(c cdx.Component) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("the list lacks %s", name)
	}
	return (*bom.Components)[i]
}

// checkComponents: the list has the sum of the binary, every module in it, and the npm packages of the page without
// those that build it. Licenses are found in the texts.
func checkComponents(t *testing.T, text, list []byte) {
	t.Helper()
	bom := listOf(t, list)
	gateway := bom.Metadata.Component
	if gateway.Version != version || (*gateway.Hashes)[0].Value != fmt.Sprintf("%x", sha256.Sum256(text)) {
		t.Errorf("%+v", gateway)
	}
	for name, want := range map[string]string{
		"stdlib": "BSD-3-Clause", "go.opentelemetry.io/otel": "Apache-2.0 AND BSD-3-Clause", "graphiql": "MIT",
		"github.com/modelcontextprotocol/go-sdk": "Apache-2.0 AND CC-BY-4.0 AND MIT",
		"github.com/klauspost/compress":          "Apache-2.0 AND BSD-3-Clause AND MIT", "github.com/prometheus/client_golang": "Apache-2.0 AND BSD-3-Clause",
	} {
		if got := (*componentOf(t, bom, name).Licenses)[0].Expression; got != want {
			t.Errorf("%s has the license %s, want %s", name, got, want)
		}
	}
	listed := map[string]int{}
	for _, c := range *bom.Components {
		listed[c.PackageURL]++
	}
	info, err := buildinfo.Read(bytes.NewReader(text))
	must(t, err)
	wanted := []string{"pkg:golang/stdlib@" + strings.TrimPrefix(info.GoVersion, "go"), "pkg:npm/graphiql@", "pkg:npm/%40graphiql/react@", "pkg:npm/react-dom@"}
	for _, module := range info.Deps {
		wanted = append(wanted, "pkg:golang/"+module.Path+"@"+module.Version)
		sum, _ := hex.DecodeString((*componentOf(t, bom, module.Path).Hashes)[0].Value)
		if got := "h1:" + base64.StdEncoding.EncodeToString(sum); got != module.Sum || (*componentOf(t, bom, module.Path).Properties)[0].Value != got {
			t.Errorf("%s has the sum %s, want %s", module.Path, got, module.Sum)
		}
	}
	has := func(prefix string) bool {
		for url, n := range listed {
			if strings.HasPrefix(url, prefix) && n == 1 {
				return true
			}
		}
		return false
	}
	for _, prefix := range wanted {
		if !has(prefix) {
			t.Errorf("the list lacks %s", prefix)
		}
	}
	for _, prefix := range []string{"pkg:npm/vite@", "pkg:npm/typescript@", "pkg:golang/github.com/google/go-containerregistry"} {
		if has(prefix) {
			t.Errorf("the list has %s, which is not in the binary", prefix)
		}
	}
}

// TestCheckVersion: a release needs a commit, and a section in the changelog.
func TestCheckVersion(t *testing.T) {
	root := t.TempDir()
	must(t, os.WriteFile(filepath.Join(root, "CHANGELOG.md"), []byte("# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-01-02\n"), 0o600))
	for version, want := range map[string]string{
		"v1.2.3": "", "v1.2.4": "CHANGELOG.md has no section of v1.2.4", "v1.2": "", "v1.2.3+dirty": "v1.2.3+dirty: there are changes that are not committed",
		"v1.2.4-rc.1": "CHANGELOG.md has no section of v1.2.4-rc.1", "v0.0.0-20260102030405-0123456789ab": "",
		"v1.2.4-0.20260102030405-0123456789ab":       "",
		"v1.2.4-0.20260102030405-0123456789ab+dirty": "v1.2.4-0.20260102030405-0123456789ab+dirty: there are changes that are not committed",
	} {
		err := checkVersion(root, version)
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: %v, want %q", version, err, want)
		}
	}
}

// TestChangelog: after what is not released, the changelog has the versions with their dates, the newest first. The
// chart and the compose file use the newest.
func TestChangelog(t *testing.T) {
	text, err := os.ReadFile("../../CHANGELOG.md")
	must(t, err)
	sections := regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(string(text), -1)
	if len(sections) < 2 || sections[0][1] != "[Unreleased]" {
		t.Fatalf("the sections are %q", sections)
	}
	newer := ""
	for _, section := range sections[1:] {
		var major, minor, patch int
		var date string
		_, err := fmt.Sscanf(section[1], "[%d.%d.%d] - %s", &major, &minor, &patch, &date)
		if err == nil {
			_, err = time.Parse(time.DateOnly, date)
		}
		if order := fmt.Sprintf("%06d %06d %06d", major, minor, patch); err != nil || newer != "" && order >= newer {
			t.Errorf("%q is not a version with its date, older than that before: %v", section[1], err)
		} else {
			newer = order
		}
	}
	newest, _, _ := strings.Cut(strings.TrimPrefix(sections[1][1], "["), "]")
	for name, line := range map[string]string{"helm/pixgraph/Chart.yaml": "\nappVersion: " + newest + " ", "compose/compose.yaml": ":-pixgraph:" + newest + "}"} {
		if text, err := os.ReadFile(filepath.Join("../../deploy", name)); err != nil || !strings.Contains(string(text), line) {
			t.Errorf("%s has not the version %s: %v", name, newest, err)
		}
	}
}

// TestRunRefuses: what cannot be released is an error, and writes nothing.
func TestRunRefuses(t *testing.T) {
	out, withoutCommit := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "copy")
	must(t, copyTree("../..", withoutCommit))
	quick := t.TempDir()
	for root, level := range map[string]int{withoutCommit: gzip.BestCompression, quick: gzip.DefaultCompression} {
		assets := filepath.Join(root, "web/dist/page/assets")
		must(t, errors.Join(os.RemoveAll(assets), os.MkdirAll(assets, 0o755)))
		var asset bytes.Buffer
		w, err := gzip.NewWriterLevel(&asset, level)
		must(t, errors.Join(err, w.Close(), os.WriteFile(filepath.Join(assets, "a-1.js.gz"), asset.Bytes(), 0o600)))
	}
	for want, args := range map[string][]string{
		`"chart" is neither`: {"-root", withoutCommit, "-out", out, "chart"}, "flag provided but not defined": {"-sources", "x"},
		"is not built:": {"-root", t.TempDir(), "-out", out, "image"}, "is not built for a release": {"-root", quick, "-out", out, "image"},
		"found no commit": {"-root", withoutCommit, "-out", out, "binaries"},
	} {
		if err := run(t.Context(), args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", args, err, want)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written")
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
