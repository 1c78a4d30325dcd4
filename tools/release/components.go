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
const lockFile = "web/pages/package-lock.json"

// componentsOf returns the list of the components (SBOM) of a subject, the binary or its image, in CycloneDX's JSON:
// what else is in the subject, the modules that the Go command linked, Go's standard library, and the npm packages of
// the page. A component without a license or a hash is an error.
func componentsOf(root string, b *binary, subject cdx.Component, others ...cdx.Component) ([]byte, error) {
	packages, err := npmComponents(root)
	if err != nil {
		return nil, err
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{
		Timestamp: b.committed.UTC().Format(time.RFC3339), Component: &subject,
		Properties: &[]cdx.Property{{Name: "revision", Value: b.revision}, {Name: "platform", Value: b.OS + "/" + b.Arch}},
	}
	version := strings.TrimPrefix(b.info.GoVersion, "go")
	components := slices.Concat(others, []cdx.Component{goLinked("stdlib", version, b.notices.library, b.notices.licenses[goLibrary])})
	for _, module := range b.info.Deps {
		from := used(module)
		components = append(components, goLinked(from.Path, from.Version, from.Sum, b.notices.licenses[module.Path+" "+module.Version]))
	}
	components = append(components, packages...)
	for _, c := range components {
		if err := check(c); err != nil {
			return nil, err
		}
	}
	bom.Components = &components
	var text bytes.Buffer
	err = cdx.NewBOMEncoder(&text, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6) // scanners follow new versions late
	return text.Bytes(), err
}

// check fails for a component without a hash, or with a license that is not one of these. A new one needs a look at its
// terms, because package.json may have any text.
func check(c cdx.Component) error {
	for _, id := range strings.Split((*c.Licenses)[0].Expression, " AND ") {
		switch id {
		case "CC-BY-4.0": // of documentation, in the license of the SDK of the Model Context Protocol
		case "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0", "MPL-2.0", "PSF-2.0":
		default:
			return fmt.Errorf("%s: the license %q is not one of those in components.go", c.PackageURL, id)
		}
	}
	if c.Hashes == nil {
		return fmt.Errorf("%s has no hash", c.PackageURL)
	}
	return nil
}

// used returns the module that replaces another one, or the module itself.
func used(module *debug.Module) *debug.Module {
	if module.Replace != nil {
		return module.Replace
	}
	return module
}

// gateway is the binary as a component.
func gateway(b *binary) cdx.Component {
	c := goModule("pixgraph", b.version, cdx.ComponentTypeApplication)
	c.Hashes, c.Licenses = sumOf(b.text), license(cdx.LicenseAcknowledgementDeclared, "Apache-2.0")
	return c
}

// goLinked is a module in the binary. Its sum has the form of go.sum, which is the SHA-256 of a list of its files with
// their SHA-256, and not of an archive. So it is also there as it is written in go.sum.
func goLinked(path, version, sum string, licenses []string) cdx.Component {
	c := goModule(path, version, cdx.ComponentTypeLibrary)
	c.Hashes, c.Properties = hash(cdx.HashAlgoSHA256, "h1:", sum), &[]cdx.Property{{Name: "h1", Value: sum}}
	c.Licenses = license(cdx.LicenseAcknowledgementConcluded, licenses...)
	return c
}

func goModule(path, version string, kind cdx.ComponentType) cdx.Component {
	url := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return cdx.Component{BOMRef: url, Type: kind, Name: path, Version: version, PackageURL: url}
}

// license is the expression for licenses that all apply.
func license(how cdx.LicenseAcknowledgement, ids ...string) *cdx.Licenses {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	return &cdx.Licenses{{Expression: strings.Join(ids, " AND "), Acknowledgement: &how}}
}

// sumOf returns the hash of a file.
func sumOf(text []byte) *[]cdx.Hash {
	sum := sha256.Sum256(text)
	return &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}}
}

// hash converts the base64 after a prefix, as in go.sum and in the lock file of npm. It returns nil for another form.
func hash(algorithm cdx.HashAlgorithm, prefix, sum string) *[]cdx.Hash {
	encoded, ok := strings.CutPrefix(sum, prefix)
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || len(raw) == 0 {
		return nil
	}
	return &[]cdx.Hash{{Algorithm: algorithm, Value: hex.EncodeToString(raw)}}
}

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
		components = append(components, cdx.Component{
			BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: p.Name, Version: p.Version, PackageURL: url,
			Licenses: license(cdx.LicenseAcknowledgementDeclared, p.License), Hashes: hash(cdx.HashAlgoSHA512, "sha512-", p.Integrity),
		})
	}
	return components, err
}
