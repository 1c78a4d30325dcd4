package console

import (
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// assets are the files of a build: scripts, workers, styles and a font. The name of each contains a hash of its
// content. They are embedded only compressed, once for each coding.
type assets struct {
	built fs.FS
	files map[string]asset // by name
}

// asset is one file of a build.
type asset struct {
	path        string // without the suffix of a coding
	contentType string
}

// The suffixes of compressed files, as set by web/compress.ts.
const (
	endingBrotli = ".br"
	endingGzip   = ".gz"
)

// contentType is the type of a file that Vite writes, and "" for others. The system's table of types is not used,
// because it differs between systems.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".ttf":
		return "font/ttf"
	default:
		return ""
	}
}

// findAssets lists the assets of a build.
func findAssets(built fs.FS) (assets, error) {
	found := assets{built, map[string]asset{}}
	entries, err := fs.ReadDir(built, "assets")
	if err != nil {
		return found, fmt.Errorf("console: %w", err)
	}
	for _, entry := range entries {
		name, gzipped := strings.CutSuffix(entry.Name(), endingGzip)
		if !gzipped {
			continue
		}
		file := asset{"assets/" + name, contentType(name)}
		if file.contentType == "" {
			return found, fmt.Errorf("console: no content type is known for %s", name)
		}
		found.files[name] = file
	}
	return found, nil
}

// serve handles GET and HEAD. The name changes with the content, so a browser may cache the file indefinitely.
func (a assets) serve(w http.ResponseWriter, r *http.Request, file asset) {
	accepted := r.Header.Values("Accept-Encoding")
	ending, coding := endingGzip, ""
	switch {
	case accepts(accepted, "br"):
		ending, coding = endingBrotli, "br"
	case accepts(accepted, "gzip"):
		coding = "gzip"
	}
	packed, err := a.built.Open(file.path + ending)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer packed.Close()
	header := w.Header()
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set("Content-Type", file.contentType)
	header.Set("Vary", "Accept-Encoding")
	if coding == "" {
		unpack(w, r, packed)
		return
	}
	header.Set("Content-Encoding", coding)
	if info, err := packed.Stat(); err == nil {
		header.Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	}
	if r.Method != http.MethodHead {
		_, _ = io.Copy(w, packed)
	}
}

// unpack decompresses a gzipped file for a client that accepts no coding, which is rare.
func unpack(w http.ResponseWriter, r *http.Request, packed io.Reader) {
	if r.Method == http.MethodHead {
		return
	}
	reader, err := gzip.NewReader(packed)
	if err != nil {
		http.Error(w, "the build is invalid", http.StatusInternalServerError)
		return
	}
	_, _ = io.Copy(w, reader)
}
