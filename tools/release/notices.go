package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
	"golang.org/x/mod/sumdb/dirhash"
)

// noticesFile is the name of the file with the licenses of what a binary contains, in archives and in the image.
const noticesFile = "THIRD_PARTY_NOTICES"

// licenseFile is the form of the names of files with a license, or with the notices that one requires.
var licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|third-?party-?(notices|licenses))(-[a-z0-9.]+)?(\.(md|txt))?$`)

// goLibrary is the name of Go's standard library among the components.
const goLibrary = "Go's standard library"

// notices are the texts of licenses of the components of a binary, and what is known of the components.
type notices struct {
	components map[string][]string // that have each text
	licenses   map[string][]string // SPDX ids in the texts of each component
	library    string              // hash of the files of Go's standard library that are compiled, in the form of go.sum
}

// noticesOf returns the licenses of the Go packages in a binary, of the certificates of the image, and of the npm
// packages of the page.
func (r *release) noticesOf(ctx context.Context, p platform) (*notices, error) {
	n := &notices{components: map[string][]string{}, licenses: map[string][]string{}}
	output, err := r.command(ctx, p, r.root, "env", "GOROOT")
	goroot := strings.TrimSpace(string(output))
	if err == nil {
		err = n.add(goLibrary, goroot, ".")
	}
	var files []string
	if err == nil {
		files, err = r.goNotices(ctx, p, n, r.root, ".")
	}
	if err == nil {
		n.library, err = dirhash.Hash1(files, func(name string) (io.ReadCloser, error) { return os.Open(filepath.Join(goroot, name)) })
	}
	if err == nil {
		_, err = r.goNotices(ctx, p, n, filepath.Join(r.root, "tools", "release"), bundleModule+"/bundle")
	}
	if err == nil {
		err = r.npmNotices(n)
	}
	return n, err
}

// goNotices adds the modules whose packages a package imports. It returns the files of the standard library that are
// compiled, with their paths in GOROOT.
func (r *release) goNotices(ctx context.Context, p platform, n *notices, dir, name string) (files []string, err error) {
	list, err := r.command(ctx, p, dir, "list", "-deps", "-json=Dir,ImportPath,Standard,GoFiles,SFiles,HFiles,EmbedFiles,Module", name)
	if err != nil {
		return nil, err
	}
	for packages := json.NewDecoder(bytes.NewReader(list)); ; {
		var found struct {
			Dir, ImportPath                     string
			Standard                            bool
			GoFiles, SFiles, HFiles, EmbedFiles []string
			Module                              *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := packages.Decode(&found); errors.Is(err, io.EOF) {
			return files, nil
		} else if err != nil {
			return nil, err
		}
		if found.Standard {
			for _, file := range slices.Concat(found.GoFiles, found.SFiles, found.HFiles, found.EmbedFiles) {
				files = append(files, "src/"+found.ImportPath+"/"+file)
			}
		}
		module := found.Module
		if module == nil || module.Main { // of the standard library, or Pixgraph's
			continue
		}
		within, err := filepath.Rel(module.Dir, found.Dir)
		if err == nil {
			err = n.add(module.Path+" "+module.Version, module.Dir, within)
		}
		if err != nil {
			return nil, err
		}
	}
}

// npmNotices adds the packages of the page. One without a text has only the name of its license.
func (r *release) npmNotices(n *notices) error {
	packages, err := npmPackages(r.root)
	if err != nil {
		return err
	}
	for _, p := range packages {
		component := p.Name + " " + p.Version
		err := n.add(component, filepath.Join(r.root, filepath.Dir(lockFile), filepath.FromSlash(p.dir)), ".")
		if errors.Is(err, errNoLicense) && p.License != "" {
			n.put(component, p.License+". The package has no text of this license.\n")
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var errNoLicense = errors.New("no file with a license")

// unknown is the license of a text of which less than three quarters belong to known licenses, as for pkg.go.dev.
const unknown = "unknown"

// add adds the licenses of a component that has its files in root: those in the directory within it, and in each
// directory above.
func (n *notices) add(component, root, within string) error {
	found := false
	for {
		entries, err := os.ReadDir(filepath.Join(root, within))
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.IsDir() || !licenseFile.MatchString(e.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(root, within, e.Name()))
			if err != nil {
				return err
			}
			name := component
			if within != "." {
				name += " (" + filepath.ToSlash(within) + ")"
			}
			n.put(name, string(text))
			scan := licensecheck.Scan(text)
			for _, match := range scan.Match {
				n.licenses[component] = append(n.licenses[component], match.ID)
			}
			if scan.Percent < 75 && !strings.Contains(strings.ToLower(e.Name()), "notice") { // NOTICE has no license of its own
				n.licenses[component] = append(n.licenses[component], unknown)
			}
			found = true
		}
		if within == "." {
			break
		}
		within = filepath.Dir(within)
	}
	if !found {
		return fmt.Errorf("%s in %s: %w", component, root, errNoLicense)
	}
	return nil
}

func (n *notices) put(component, text string) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if !slices.Contains(n.components[text], component) {
		n.components[text] = append(n.components[text], component)
	}
}

// text returns the notices: each text after the components that have it, in the order of their names.
func (n *notices) text() []byte {
	for _, components := range n.components {
		slices.Sort(components)
	}
	var all bytes.Buffer
	all.WriteString("Pixgraph contains the following software of others.\n")
	texts := slices.SortedFunc(maps.Keys(n.components), func(a, b string) int {
		return slices.Compare(append(slices.Clone(n.components[a]), a), append(slices.Clone(n.components[b]), b))
	})
	for _, text := range texts {
		fmt.Fprintf(&all, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(n.components[text], "\n"), text)
	}
	return all.Bytes()
}
