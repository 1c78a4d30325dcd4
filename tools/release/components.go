package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// lockFile lists the npm packages of the page that the binary embeds.
const lockFile = "graph/console/web/package-lock.json"

// componentsOf returns the list of the components of a binary (SBOM) in CycloneDX's JSON: the modules that the Go
// command linked, Go's standard library, and the npm packages of the page.
func componentsOf(root string, b *binary) ([]byte, error) {
	packages, err := npmComponents(root)
	if err != nil {
		return nil, err
	}
	bom := cdx.NewBOM()
	sum := sha256.Sum256(b.text)
	gateway := goModule("pixgraph", b.version, cdx.ComponentTypeApplication)
	gateway.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}}
	gateway.Licenses = license("Apache-2.0")
	bom.Metadata = &cdx.Metadata{
		Timestamp: b.committed.UTC().Format(time.RFC3339), Component: &gateway,
		Properties: &[]cdx.Property{{Name: "revision", Value: b.revision}, {Name: "platform", Value: b.OS + "/" + b.Arch}},
	}
	components := []cdx.Component{goModule("stdlib", strings.TrimPrefix(b.info.GoVersion, "go"), cdx.ComponentTypeLibrary)}
	for _, module := range b.info.Deps {
		components = append(components, goModule(used(module).Path, used(module).Version, cdx.ComponentTypeLibrary))
	}
	components = append(components, packages...)
	bom.Components = &components
	var text bytes.Buffer
	err = cdx.NewBOMEncoder(&text, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6) // scanners follow new versions late
	return text.Bytes(), err
}

// used returns the module that replaces another one, or the module itself.
func used(module *debug.Module) *debug.Module {
	if module.Replace != nil {
		return module.Replace
	}
	return module
}

func goModule(path, version string, kind cdx.ComponentType) cdx.Component {
	url := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return cdx.Component{BOMRef: url, Type: kind, Name: path, Version: version, PackageURL: url}
}

func license(id string) *cdx.Licenses { return &cdx.Licenses{{Expression: id}} }

// npmPackage is a package of the page.
type npmPackage struct {
	Name, Version, Integrity, License string
	Dev, DevOptional, Optional        bool
	dir                               string // in that of the lock file
}

// npmPackages returns the packages of the lock file that are not only for development, sorted by directory.
func npmPackages(root string) (packages []npmPackage, err error) {
	text, err := os.ReadFile(filepath.Join(root, lockFile))
	if err != nil {
		return nil, err
	}
	var lock struct{ Packages map[string]npmPackage }
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, fmt.Errorf("%s: %w", lockFile, err)
	}
	for _, path := range slices.Sorted(maps.Keys(lock.Packages)) {
		at := strings.LastIndex(path, "node_modules/")
		if p := lock.Packages[path]; at >= 0 && !p.Dev && !p.DevOptional && !p.Optional {
			p.Name, p.dir = path[at+len("node_modules/"):], path
			packages = append(packages, p)
		}
	}
	return packages, nil
}

// npmComponents returns the packages of the page, each once.
func npmComponents(root string) (components []cdx.Component, err error) {
	packages, err := npmPackages(root)
	for _, p := range packages {
		url := "pkg:npm/" + strings.Replace(p.Name, "@", "%40", 1) + "@" + p.Version
		if slices.ContainsFunc(components, func(c cdx.Component) bool { return c.BOMRef == url }) {
			continue // installed in two places
		}
		component := cdx.Component{BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: p.Name, Version: p.Version, PackageURL: url}
		if p.License != "" {
			component.Licenses = license(p.License)
		}
		if encoded, ok := strings.CutPrefix(p.Integrity, "sha512-"); ok {
			sum, err := base64.StdEncoding.DecodeString(encoded)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", lockFile, p.Name, err)
			}
			component.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA512, Value: hex.EncodeToString(sum)}}
		}
		components = append(components, component)
	}
	return components, err
}
