package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"pixgraph/web/operations"
)

// document is an HTML page that does not change while the process runs.
type document struct {
	text, gzipped []byte
	etag          string                                  // in quotes
	security      func(context.Context) map[string]string // headers that restrict what the page may do
}

func newDocument(text []byte, security func(context.Context) map[string]string) document {
	var gzipped bytes.Buffer
	writer, _ := gzip.NewWriterLevel(&gzipped, gzip.BestCompression) // the level is valid
	_, _ = writer.Write(text)                                        // a write to memory, which does not fail
	_ = writer.Close()
	sum := sha256.Sum256(text)
	return document{text, gzipped.Bytes(), `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`, security}
}

// serve handles GET and HEAD. The response depends only on two headers of the request, and not on its URL, which may
// contain an authorization code.
func (d *document) serve(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	for name, value := range d.security(r.Context()) {
		header.Set(name, value)
	}
	header.Set("Cache-Control", "no-cache")
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Vary", "Accept-Encoding")
	header.Set("ETag", d.etag)
	if knows(r.Header.Values("If-None-Match"), d.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := d.text
	if accepts(r.Header.Values("Accept-Encoding"), "gzip") {
		header.Set("Content-Encoding", "gzip")
		body = d.gzipped
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

// knows reports whether an If-None-Match contains the tag, by the weak comparison of RFC 9110, section 13.1.2.
func knows(values []string, etag string) bool {
	for _, value := range values {
		for tag := range strings.SplitSeq(value, ",") {
			if tag = strings.TrimSpace(tag); tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
				return true
			}
		}
	}
	return false
}

// emptyConfig is the placeholder of the configuration in the built page.
const emptyConfig = `id="console-config">{}</script>`

// pageConfig is the configuration for the page: Config in web/pages/src/base/config.ts.
type pageConfig struct {
	Trace      bool                   `json:"trace"`
	Schema     bool                   `json:"schema"`
	PageNumber bool                   `json:"pageNumber"`
	PageSize   bool                   `json:"pageSize"`
	Links      bool                   `json:"links"`
	MaxCost    int                    `json:"maxCost"`
	Fees       string                 `json:"fees"`
	SignIn     *pageSignIn            `json:"signIn,omitempty"`
	Operations []operations.Operation `json:"operations"`
}

type pageSignIn struct {
	Issuer   string   `json:"issuer"`
	ClientID string   `json:"clientId"`
	Scopes   []string `json:"scopes"`
	Metadata string   `json:"metadata,omitempty"`
}

// configured inserts the configuration into the built page. It is JSON in a script element that browsers do not
// execute; encoding/json escapes characters that could end the element.
func configured(page []byte, config Config) ([]byte, error) {
	shown := pageConfig{
		Trace: config.Trace, Schema: config.Schema,
		PageNumber: config.Gateway.PageNumber, PageSize: config.Gateway.PageSize, Links: config.Links, MaxCost: config.MaxCost, Fees: config.Fees,
		Operations: operations.All(config.Gateway),
	}
	if s := config.SignIn; s != nil {
		shown.SignIn = &pageSignIn{s.Issuer, s.ClientID, append([]string{}, s.Scopes...), s.Metadata}
	}
	text, err := json.Marshal(shown)
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	if bytes.Count(page, []byte(emptyConfig)) != 1 {
		return nil, errors.New("web: the built page does not have exactly one placeholder for its configuration")
	}
	full := strings.Replace(emptyConfig, "{}", string(text), 1)
	return bytes.Replace(page, []byte(emptyConfig), []byte(full), 1), nil
}
