package main

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// index unpacks the archive of an image layout and returns its index, after every digest was checked.
func index(t *testing.T, archive []byte) (v1.ImageIndex, map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for _, e := range untar(t, bytes.NewReader(archive)) {
		write(t, dir, e)
	}
	whole, err := layout.ImageIndexFromPath(dir)
	must(t, err)
	manifest, err := whole.IndexManifest()
	if err != nil || len(manifest.Manifests) != 1 {
		t.Fatalf("%v: the layout has not one index", err)
	}
	images, err := whole.ImageIndex(manifest.Manifests[0].Digest)
	must(t, err)
	if err := validate.Index(images); err != nil {
		t.Error(err)
	}
	return images, manifest.Manifests[0].Annotations
}

// write writes a file or a directory of an archive.
func write(t *testing.T, dir string, e entry) {
	t.Helper()
	path := filepath.Join(dir, e.name)
	var err error
	if strings.HasSuffix(e.name, "/") {
		err = os.Mkdir(path, 0o755)
	} else {
		err = os.WriteFile(path, e.text, os.FileMode(e.mode))
	}
	must(t, err)
}

// imageFor returns the image of the index for a platform.
func imageFor(t *testing.T, images v1.ImageIndex, p platform) v1.Image {
	t.Helper()
	manifest, err := images.IndexManifest()
	must(t, err)
	for _, m := range manifest.Manifests {
		if m.Platform.OS == p.OS && m.Platform.Architecture == p.Arch {
			one, err := images.Image(m.Digest)
			must(t, err)
			return one
		}
	}
	t.Fatalf("no image for %v", p)
	return nil
}

// TestImage: two clones of a commit give the same archive, with an image for each processor that has nothing but the
// binary, the certificates and the licenses, and the list of the components of each image.
func TestImage(t *testing.T) {
	files := inBoth(t, func(r *release) ([]file, error) { return r.image(t.Context()) })
	archive, lists := files[0], files[1:]
	if archive.name != "pixgraph_1.2.3_oci.tar" {
		t.Errorf("the archive is %s", archive.name)
	}
	images, annotations := index(t, archive.text)
	if name := annotations["org.opencontainers.image.ref.name"]; name != "pixgraph:1.2.3" {
		t.Errorf("the name is %s", name)
	}
	manifest, err := images.IndexManifest()
	if err != nil || len(manifest.Manifests) != len(tested) || manifest.MediaType != types.OCIImageIndex {
		t.Fatalf("%v: %+v", err, manifest)
	}
	want := map[string]string{
		"title": "Pixgraph", "description": "A GraphQL gateway over the REST APIs of a Pix payment service", "version": version,
		"revision": releases(t)[0].built[tested[0]].revision, "licenses": "Apache-2.0", "created": "2026-01-02T03:04:05Z",
		"source": "https://example.com/pixgraph",
	}
	checkLabels(t, want, manifest.Annotations)
	for i, p := range tested {
		one := imageFor(t, images, p)
		checkImage(t, want, p, one)
		if want := "pixgraph_1.2.3_oci_" + p.Arch + ".cdx.json"; lists[i].name != want {
			t.Errorf("the list is %s, not %s", lists[i].name, want)
		}
		checkComponentsOfImage(t, lists[i].text, one)
	}
}

func checkLabels(t *testing.T, want, got map[string]string) {
	t.Helper()
	for key, value := range want {
		if got["org.opencontainers.image."+key] != value {
			t.Errorf("%s is %q, want %q", key, got["org.opencontainers.image."+key], value)
		}
	}
	if len(want) != len(got) || want["revision"] == "" {
		t.Errorf("labels %v", got)
	}
}

func checkImage(t *testing.T, labels map[string]string, p platform, one v1.Image) {
	t.Helper()
	config, err := one.ConfigFile()
	must(t, err)
	c := config.Config
	if config.OS != p.OS || config.Architecture != p.Arch || c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/pixgraph"}) ||
		c.Cmd != nil || c.Env != nil {
		t.Errorf("%+v", config)
	}
	if ports := slices.Sorted(maps.Keys(c.ExposedPorts)); !slices.Equal(ports, []string{"8080/tcp", "9090/tcp"}) {
		t.Errorf("ports %v", ports)
	}
	checkLabels(t, labels, c.Labels)
	want := map[string]string{
		"etc/": "755", "etc/ssl/": "755", "etc/ssl/certs/": "755", "etc/ssl/certs/ca-certificates.crt": "444", "LICENSE": "444", noticesFile: "444",
		"pixgraph": "555",
	}
	got := map[string]string{}
	entries := files(t, one)
	notices := entries[slices.IndexFunc(entries, func(e entry) bool { return e.name == noticesFile })].text
	for _, e := range entries {
		got[e.name] = fmt.Sprintf("%o", e.mode)
		switch e.name {
		case "pixgraph":
			checkBinary(t, p, e.text)
			checkNotices(t, e.text, notices)
		case certificates:
			if pool := x509.NewCertPool(); !pool.AppendCertsFromPEM(e.text) || bytes.Count(e.text, []byte("BEGIN CERTIFICATE")) < 100 {
				t.Errorf("certificates of %d bytes", len(e.text))
			}
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("the image has %v", got)
	}
}

// checkComponentsOfImage: the list has the digest of the image, and the sums of the binary and of the certificates.
func checkComponentsOfImage(t *testing.T, list []byte, one v1.Image) {
	t.Helper()
	bom := listOf(t, list)
	digest, err := one.Digest()
	must(t, err)
	if got := (*bom.Metadata.Component.Hashes)[0].Value; got != digest.Hex || bom.Metadata.Component.Type != cdx.ComponentTypeContainer {
		t.Errorf("the list is that of %s, not of %s", got, digest)
	}
	for _, e := range files(t, one) {
		if e.name != "pixgraph" && e.name != certificates {
			continue
		}
		c := componentOf(t, bom, e.name)
		if got := (*c.Hashes)[0].Value; got != fmt.Sprintf("%x", sha256.Sum256(e.text)) {
			t.Errorf("%s has another sum than %s", e.name, got)
		}
		if e.name == certificates && ((*c.Licenses)[0].Expression != "MPL-2.0" || !regexp.MustCompile(`^v0\.0\.0-20\d{12}-`).MatchString(c.Version)) {
			t.Errorf("the certificates are %+v", c)
		}
	}
}

// files returns the files of the only layer of an image.
func files(t *testing.T, one v1.Image) []entry {
	t.Helper()
	layers, err := one.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("%v: %d layers", err, len(layers))
	}
	text, err := layers[0].Uncompressed()
	must(t, err)
	defer text.Close()
	return untar(t, text)
}

// rootOf unpacks the image for this machine into a directory that cannot be written.
func rootOf(t *testing.T) (dir string, config v1.Config) {
	t.Helper()
	archive, err := releases(t)[0].image(t.Context())
	must(t, err)
	images, _ := index(t, archive[0].text)
	one := imageFor(t, images, platform{runtime.GOOS, runtime.GOARCH})
	dir = filepath.Join(t.TempDir(), "root")
	entries := append([]entry{{"/", 0o755, nil}}, files(t, one)...)
	for _, e := range entries {
		write(t, dir, e)
	}
	t.Cleanup(func() { chmod(t, dir, entries, 0o755) })
	chmod(t, dir, entries, 0o555)
	read, err := one.ConfigFile()
	must(t, err)
	return dir, read.Config
}

// chmod sets the mode of the directories among some entries.
func chmod(t *testing.T, dir string, entries []entry, mode os.FileMode) {
	t.Helper()
	for _, e := range entries {
		if strings.HasSuffix(e.name, "/") {
			if err := os.Chmod(filepath.Join(dir, e.name), mode); err != nil {
				t.Error(err)
			}
		}
	}
}
