package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// platform is a system and a processor.
type platform struct{ OS, Arch string }

// platforms are those of a release.
func platforms() []platform {
	return []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}}
}

// binary is a built gateway.
type binary struct {
	platform
	text              []byte
	version, revision string
	committed         time.Time
	info              *debug.BuildInfo
	notices           *notices // the licenses of what it contains
}

// buildFlags are the flags of `go build` for a release. Stack traces and profiles need no symbol table, and no
// information for debuggers.
func buildFlags() []string {
	return []string{"-trimpath", "-tags=grpcnotrace", "-buildvcs=true", "-gcflags=all=-dwarf=false", "-ldflags=-s -w"}
}

// build builds the gateway for a platform.
func (r *release) build(ctx context.Context, p platform) (*binary, error) {
	if b := r.built[p]; b != nil {
		return b, nil
	}
	dir, err := os.MkdirTemp("", "pixgraph")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "pixgraph")
	if _, err := r.command(ctx, p, r.root, append(append([]string{"build", "-o", file}, buildFlags()...), ".")...); err != nil {
		return nil, err
	}
	b := &binary{platform: p}
	if b.text, err = os.ReadFile(file); err != nil {
		return nil, err
	}
	if err := b.read(file); err != nil {
		return nil, err
	}
	if b.notices, err = r.noticesOf(ctx, p); err != nil {
		return nil, err
	}
	r.built[p] = b
	return b, checkVersion(r.root, b.version)
}

// command runs the Go command for a platform and returns its output. Settings of the Go command in the environment do
// not change the result, but those that choose the version of Go and where modules come from stay.
func (r *release) command(ctx context.Context, p platform, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+p.OS, "GOARCH="+p.Arch, "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0",
		"GOFIPS140=off", "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("go %s for %s/%s: %w: %s", args[0], p.OS, p.Arch, err, &stderr)
	}
	return out, err
}

// read reads what the Go command wrote into the binary.
func (b *binary) read(file string) (err error) {
	if b.info, err = buildinfo.ReadFile(file); err != nil {
		return err
	}
	setting := func(key string) string {
		i := slices.IndexFunc(b.info.Settings, func(s debug.BuildSetting) bool { return s.Key == key })
		if i < 0 {
			return ""
		}
		return b.info.Settings[i].Value
	}
	b.version, b.revision = b.info.Main.Version, setting("vcs.revision")
	if b.revision == "" {
		return errors.New("the Go command found no commit: it needs a clone of the repository, not a worktree of git")
	}
	b.committed, err = time.Parse(time.RFC3339, setting("vcs.time"))
	return err
}

// name is the name of the binary as a file.
func (b *binary) name() string {
	if b.OS == "windows" {
		return "pixgraph.exe"
	}
	return "pixgraph"
}

// number is the version without the v.
func (b *binary) number() string { return strings.TrimPrefix(b.version, "v") }

// binaries returns the archives with the binaries for some platforms, the list of the components of each, and
// SHA256SUMS.
func (r *release) binaries(ctx context.Context, list []platform) (files []file, err error) {
	license, err := os.ReadFile(filepath.Join(r.root, "LICENSE"))
	if err != nil {
		return nil, err
	}
	var sums strings.Builder
	for _, p := range list {
		b, err := r.build(ctx, p)
		if err != nil {
			return nil, err
		}
		archive, err := gzipped(tarOf(b.committed, []entry{
			{b.name(), 0o755, b.text}, {"LICENSE", 0o644, license}, {noticesFile, 0o644, b.notices.text()},
		}))
		if err != nil {
			return nil, err
		}
		components, err := componentsOf(r.root, b, gateway(b))
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("pixgraph_%s_%s_%s", b.number(), p.OS, p.Arch)
		files = append(files, file{name + ".tar.gz", archive}, file{name + ".cdx.json", components})
	}
	for _, f := range files {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(f.text), f.name)
	}
	return append(files, file{"SHA256SUMS", []byte(sums.String())}), nil
}
