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

// componentsOf returns the list of the components of a binary (SBOM) in CycloneDX's JSON: the modules that the Go command linked,
// Go's standard library, and the npm packages of the page.
func componentsOf(root string, b *binary) ([]byte, error) {
	packages, err := npmPackages(root)
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

// npmPackages returns the packages of the lock file that are not only for development, sorted.
func npmPackages(root string) (components []cdx.Component, err error) {
	text, err := os.ReadFile(filepath.Join(root, lockFile))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version, Integrity, License string
			Dev, DevOptional, Optional  bool
		}
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, fmt.Errorf("%s: %w", lockFile, err)
	}
	for _, path := range slices.Sorted(maps.Keys(lock.Packages)) {
		at := strings.LastIndex(path, "node_modules/")
		p := lock.Packages[path]
		if at < 0 || p.Dev || p.DevOptional || p.Optional {
			continue
		}
		name := path[at+len("node_modules/"):]
		url := "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + p.Version
		if slices.ContainsFunc(components, func(c cdx.Component) bool { return c.BOMRef == url }) {
			continue // installed in two places
		}
		component := cdx.Component{BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: name, Version: p.Version, PackageURL: url}
		if p.License != "" {
			component.Licenses = license(p.License)
		}
		if encoded, ok := strings.CutPrefix(p.Integrity, "sha512-"); ok {
			sum, err := base64.StdEncoding.DecodeString(encoded)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", lockFile, name, err)
			}
			component.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA512, Value: hex.EncodeToString(sum)}}
		}
		components = append(components, component)
	}
	return components, nil
}
