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
)

// noticesFile is the name of the file with the licenses of what a binary contains, in archives and in the image.
const noticesFile = "THIRD_PARTY_NOTICES"

// licenseFile is the form of the names of files with a license, or with the notices that one requires.
var licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|third-?party-?(notices|licenses))(-[a-z0-9.]+)?(\.(md|txt))?$`)

// notices are the components with each text.
type notices map[string][]string

// noticesOf returns the licenses of the Go packages in a binary, of the certificates of the image, and of the npm
// packages of the page.
func (r *release) noticesOf(ctx context.Context, p platform) ([]byte, error) {
	n := notices{}
	goroot, err := r.command(ctx, p, r.root, "env", "GOROOT")
	if err == nil {
		err = n.add("Go's standard library", strings.TrimSpace(string(goroot)), ".")
	}
	if err == nil {
		err = r.goNotices(ctx, p, n, r.root, ".")
	}
	if err == nil {
		err = r.goNotices(ctx, p, n, filepath.Join(r.root, "tools", "release"), "golang.org/x/crypto/x509roots/fallback/bundle")
	}
	if err == nil {
		err = r.npmNotices(n)
	}
	return n.text(), err
}

// goNotices adds the modules whose packages a package imports.
func (r *release) goNotices(ctx context.Context, p platform, n notices, dir, name string) error {
	list, err := r.command(ctx, p, dir, "list", "-deps", "-json=Dir,Module", name)
	if err != nil {
		return err
	}
	for packages := json.NewDecoder(bytes.NewReader(list)); ; {
		var found struct {
			Dir    string
			Module *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := packages.Decode(&found); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
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
			return err
		}
	}
}

// npmNotices adds the packages of the page. One without a text has only the name of its license.
func (r *release) npmNotices(n notices) error {
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

// add adds the licenses of a component that has its files in root: those in the directory within it, and in each
// directory above.
func (n notices) add(component, root, within string) error {
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

func (n notices) put(component, text string) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if !slices.Contains(n[text], component) {
		n[text] = append(n[text], component)
	}
}

// text returns the notices: each text after the components that have it, in the order of their names.
func (n notices) text() []byte {
	for _, components := range n {
		slices.Sort(components)
	}
	var all bytes.Buffer
	all.WriteString("Pixgraph contains the following software of others.\n")
	texts := slices.SortedFunc(maps.Keys(n), func(a, b string) int {
		return slices.Compare(append(slices.Clone(n[a]), a), append(slices.Clone(n[b]), b))
	})
	for _, text := range texts {
		fmt.Fprintf(&all, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(n[text], "\n"), text)
	}
	return all.Bytes()
}
