package web

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

// assets are the files of a build: scripts, workers, styles and a font. The name of each contains a hash of its
// content. They are embedded only compressed, once for each coding.
type assets struct {
	built fs.FS
	files map[string]asset // by name
}

// asset is one file of a build.
//
// identity decompresses it for clients that accept no coding, which are rare, and which need no token. So a file is
// decompressed once, and all responses share its bytes.
//
//   - Key: the file.
//   - Bound: the files of the build, 6.5 MiB.
//   - Filled by: the first request of each file without a coding, of any client.
//   - Emptied by: nothing.
type asset struct {
	path        string // without the suffix of a coding
	contentType string
	identity    func() ([]byte, error)
}

// The suffixes of compressed files, as set by web/pages/compress.ts.
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
		return found, fmt.Errorf("web: %w", err)
	}
	for _, entry := range entries {
		name, gzipped := strings.CutSuffix(entry.Name(), endingGzip)
		if !gzipped {
			continue
		}
		file := asset{path: "assets/" + name, contentType: contentType(name)}
		if file.contentType == "" {
			return found, fmt.Errorf("web: no content type is known for %s", name)
		}
		file.identity = sync.OnceValues(func() ([]byte, error) { return unpacked(built, file.path+endingGzip) })
		found.files[name] = file
	}
	return found, nil
}

// serve handles GET and HEAD. The name changes with the content, so a browser may cache the file indefinitely.
func (a assets) serve(w http.ResponseWriter, r *http.Request, file asset) {
	accepted := r.Header.Values("Accept-Encoding")
	var (
		body   io.Reader
		size   int64
		coding string
		err    error
	)
	switch {
	case accepts(accepted, "br"):
		coding = "br"
		body, size, err = a.packed(file.path + endingBrotli)
	case accepts(accepted, "gzip"):
		coding = "gzip"
		body, size, err = a.packed(file.path + endingGzip)
	default:
		var text []byte
		text, err = file.identity()
		body, size = bytes.NewReader(text), int64(len(text))
	}
	if err != nil {
		http.Error(w, "the build is invalid", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set("Content-Type", file.contentType)
	header.Set("Vary", "Accept-Encoding")
	header.Set("Content-Length", strconv.FormatInt(size, 10))
	if coding != "" {
		header.Set("Content-Encoding", coding)
	}
	if r.Method != http.MethodHead {
		_, _ = io.Copy(w, body)
	}
}

// packed opens a compressed file. It is embedded, so it need not be closed.
func (a assets) packed(name string) (io.Reader, int64, error) {
	file, err := a.built.Open(name)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	return file, info.Size(), nil
}

// unpacked decompresses a file into as many bytes as it has, which its last four say (RFC 1952, section 2.3.1), so that
// no garbage stays in a process at rest.
func unpacked(built fs.FS, name string) ([]byte, error) {
	packed, err := fs.ReadFile(built, name)
	if err != nil {
		return nil, err
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	text := make([]byte, binary.LittleEndian.Uint32(packed[len(packed)-4:]))
	_, err = io.ReadFull(reader, text)
	return text, err
}
