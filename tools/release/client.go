package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// clientDir has the npm package for front ends. Its TypeScript is built by make, as the page of GraphiQL is.
const clientDir = "clients/js"

// clientVersion is the version in package.json, which is that of the release only in the archive.
var clientVersion = regexp.MustCompile(`(?m)^  "version": ".*",$`)

// client returns the archive of the npm package, with the files that `npm pack` would take, and SHA256SUMS.
func (r *release) client(ctx context.Context) ([]file, error) {
	b, err := r.build(ctx, platforms()[0]) // has the version and the time of the commit
	if err != nil {
		return nil, err
	}
	root := filepath.Join(r.root, clientDir)
	manifest, err := os.ReadFile(filepath.Join(root, "package.json"))
	if err != nil {
		return nil, err
	}
	if n := len(clientVersion.FindAll(manifest, -1)); n != 1 {
		return nil, fmt.Errorf("%s/package.json has %d versions", clientDir, n)
	}
	manifest = clientVersion.ReplaceAll(manifest, fmt.Appendf(nil, `  "version": "%s",`, b.number()))
	entries := []entry{{"package/package.json", 0o644, manifest}}
	add := func(name, path string) error {
		text, err := os.ReadFile(path)
		entries = append(entries, entry{"package/" + name, 0o644, text})
		return err
	}
	err = errors.Join(add("LICENSE", filepath.Join(r.root, "LICENSE")), add("README.md", filepath.Join(root, "README.md")))
	if err != nil {
		return nil, err
	}
	err = fs.WalkDir(os.DirFS(root), "dist", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return add(name, filepath.Join(root, name))
	})
	if err != nil {
		return nil, fmt.Errorf("the npm package is not built: use make release: %w", err)
	}
	archive, err := gzipped(tarOf(b.committed, entries))
	if err != nil {
		return nil, err
	}
	name := "pixgraph-client-" + b.number() + ".tgz"
	return []file{{name, archive}, {"SHA256SUMS", fmt.Appendf(nil, "%x  %s\n", sha256.Sum256(archive), name)}}, nil
}
