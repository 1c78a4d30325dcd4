package main

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// user is the user and the group of the process in the image. No file belongs to it.
const user = "65532:65532"

// certificates is where Go's crypto/x509 finds the certificates of authorities. Operators may mount another file there.
const certificates = "etc/ssl/certs/ca-certificates.crt"

// bundleModule has these certificates.
const bundleModule = "golang.org/x/crypto/x509roots/fallback"

// image returns the archive of an OCI image layout, with an image for each processor in one index, and the list of the
// components of each image.
func (r *release) image(ctx context.Context) (files []file, err error) {
	license, err := os.ReadFile(filepath.Join(r.root, "LICENSE"))
	if err != nil {
		return nil, err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	var last *binary
	for _, p := range platforms() {
		if p.OS != "linux" {
			continue
		}
		if last, err = r.build(ctx, p); err != nil {
			return nil, err
		}
		one, err := imageOf(last, license, labels(last, r.source))
		if err != nil {
			return nil, err
		}
		components, err := componentsOfImage(r.root, last, one)
		if err != nil {
			return nil, err
		}
		files = append(files, file{fmt.Sprintf("pixgraph_%s_oci_%s.cdx.json", last.number(), p.Arch), components})
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: one, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: p.OS, Architecture: p.Arch}}})
	}
	index, ok := mutate.Annotations(index, labels(last, r.source)).(v1.ImageIndex)
	if !ok {
		return nil, errors.New("the index has no annotations")
	}
	version := last.number()
	text, err := archive(index, "pixgraph:"+version, last.committed)
	return append([]file{{"pixgraph_" + version + "_oci.tar", text}}, files...), err
}

// componentsOfImage returns the list of the components of an image: those of its binary, the binary, and the
// certificates, whose license is that of Mozilla's list.
func componentsOfImage(root string, b *binary, one v1.Image) ([]byte, error) {
	digest, err := one.Digest()
	if err != nil {
		return nil, err
	}
	info, _ := debug.ReadBuildInfo()
	i := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == bundleModule })
	if i < 0 {
		return nil, errors.New("the version of " + bundleModule + " is not known")
	}
	bundled := goModule(bundleModule, used(info.Deps[i]).Version, cdx.ComponentTypeFile)
	bundled.Name, bundled.Hashes = certificates, sumOf(authorities())
	bundled.Licenses = license(cdx.LicenseAcknowledgementConcluded, "MPL-2.0")
	url := "pkg:oci/pixgraph@" + strings.ReplaceAll(digest.String(), ":", "%3A") + "?arch=" + b.Arch
	image := cdx.Component{
		BOMRef: url, Type: cdx.ComponentTypeContainer, Name: "pixgraph", Version: b.version, PackageURL: url,
		Hashes: &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: digest.Hex}}, Licenses: gateway(b).Licenses,
	}
	return componentsOf(root, b, image, gateway(b), bundled)
}

// labels are the keys of OCI's image specification, for labels and annotations.
func labels(b *binary, source string) map[string]string {
	const prefix = "org.opencontainers.image."
	all := map[string]string{
		prefix + "title": "Pixgraph", prefix + "description": "A GraphQL gateway over the REST APIs of a Pix payment service",
		prefix + "version": b.version, prefix + "revision": b.revision, prefix + "licenses": "Apache-2.0",
		prefix + "created": b.committed.UTC().Format(time.RFC3339), prefix + "source": source,
	}
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" })
	return all
}

// imageOf returns the image with one binary, and no other program.
func imageOf(b *binary, license []byte, labels map[string]string) (v1.Image, error) {
	text, err := tarOf(b.committed, []entry{
		{"etc/", 0o755, nil}, {"etc/ssl/", 0o755, nil}, {"etc/ssl/certs/", 0o755, nil}, {certificates, 0o444, authorities()},
		{"LICENSE", 0o444, license}, {noticesFile, 0o444, b.notices.text()}, {b.name(), 0o555, b.text},
	})
	if err != nil {
		return nil, err
	}
	opener := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	layer, err := tarball.LayerFromOpener(opener, tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
	if err != nil {
		return nil, err
	}
	one := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	one, err = mutate.Append(one, mutate.Addendum{Layer: layer, History: v1.History{CreatedBy: "make image", Created: v1.Time{Time: b.committed}}})
	if err != nil {
		return nil, err
	}
	config, err := one.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.Created, config.OS, config.Architecture = v1.Time{Time: b.committed}, b.OS, b.Arch
	config.Config = v1.Config{
		User: user, Entrypoint: []string{"/" + b.name()}, WorkingDir: "/", Labels: labels,
		ExposedPorts: map[string]struct{}{"8080/tcp": {}, "9090/tcp": {}}, // no Env: it would override the operator's file
	}
	return mutate.ConfigFile(one, config)
}

// authorities returns the certificates of Mozilla's authorities, as the Go team publishes them. Those that are trusted
// only under a condition, such as a date of issue, are left out, because a file cannot express it.
func authorities() []byte {
	var text bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&text, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})
		}
	}
	return text.Bytes()
}

// archive returns the OCI image layout of an index as a tar archive, with a name for the image.
func archive(index v1.ImageIndex, name string, modified time.Time) ([]byte, error) {
	dir, err := os.MkdirTemp("", "pixgraph")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return nil, err
	}
	if err := path.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": name})); err != nil {
		return nil, err
	}
	var entries []entry
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || name == ".":
			return err
		case d.IsDir():
			entries = append(entries, entry{name + "/", 0o755, nil})
			return nil
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		entries = append(entries, entry{name, 0o644, text})
		return err
	})
	if err != nil {
		return nil, err
	}
	return tarOf(modified, entries)
}
