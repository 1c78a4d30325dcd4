package transport

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/serve/accept"
)

// A response to a GET has an entity tag if it is the same for the same query and data. The client may store it, and ask
// with If-None-Match whether it is still the same: then a 304 saves the bytes, not the calls. The tag is weak, because
// compression does not change it. It depends on the caller and on the media type, so a response that one caller stored
// is never confirmed to another one, nor to a client that does not accept its type. Replicas compute the same tag, so
// no secret key is in it; it reveals nothing to a client that does not have the response.

// taggedCache is the Cache-Control of a response with a tag: only the client stores it, and asks before each use.
var taggedCache = []string{"private, no-cache"}

// taggedVary has the request headers that a stored response depends on.
var taggedVary = []string{"Authorization, Accept, Accept-Encoding"}

// isTagged reports whether a response has a tag. Errors and extensions are those of one request.
func (a *responder) isTagged(status int, response *graphql.Response) bool {
	return a.r.Method != http.MethodPost && status == http.StatusOK && len(response.Errors) == 0 && len(response.Extensions) == 0
}

// tag sets the tag of a body and its headers. It reports whether the client has the body, and answers 304 then.
func (a *responder) tag(body ...[]byte) (unchanged bool) {
	h := sha256.New()
	_, _ = h.Write([]byte(a.call.Caller() + "\x00" + a.media.ContentType()[0]))
	for _, part := range body {
		_, _ = h.Write(part)
	}
	var sum [sha256.Size]byte
	const bytes = 16 // enough that two bodies of a caller never have the same tag
	opaque := `"` + base64.RawURLEncoding.EncodeToString(h.Sum(sum[:0])[:bytes]) + `"`
	header := a.w.Header()
	header["Etag"] = []string{"W/" + opaque}
	header["Cache-Control"] = taggedCache
	header["Vary"] = append(header["Vary"], taggedVary...)
	if !matches(a.r.Header["If-None-Match"], opaque) {
		return false
	}
	for _, h := range securityHeaders { // the client keeps those of the response that it has
		delete(header, h.name)
	}
	delete(header, "Access-Control-Expose-Headers")
	a.begun = true
	a.w.WriteHeader(http.StatusNotModified)
	return true
}

// apacheSuffix ends the tag of a response that Apache's mod_deflate has compressed.
const apacheSuffix = `-gzip"`

// matches reports whether If-None-Match has a tag (RFC 9110, section 13.1.2), by weak comparison.
func matches(values []string, opaque string) bool {
	for _, value := range values {
		for value != "" {
			var tag string
			tag, value = accept.Cut(value, ',')
			tag = accept.Trim(tag)
			if tag == "*" || strings.Replace(strings.TrimPrefix(tag, "W/"), apacheSuffix, `"`, 1) == opaque {
				return true
			}
		}
	}
	return false
}
