package upstream

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxNotificationID bounds a notification id, whose form the spec does not show. Escaped it is at most three times as
// long, which is below the 4 KiB and more that servers accept in a URL.
const maxNotificationID = 1024 // bytes

// ValidNotificationID reports whether id can be sent: valid UTF-8 that is neither empty nor too long, without control
// characters, and without a segment "." or "..". A slash in an id is sent as %2F, but a proxy that decodes it would
// resolve such a segment to another path; so would one that decodes twice, if the id has %2e%2e.
func ValidNotificationID(id string) bool {
	return id != "" && len(id) <= maxNotificationID && utf8.ValidString(id) && !strings.ContainsFunc(id, unicode.IsControl) &&
		!hasDotSegment(id)
}

// encodedPath decodes what is a dot or separates segments of a path.
var encodedPath = strings.NewReplacer("%2e", ".", "%2E", ".", "%2f", "/", "%2F", "/", "%5c", "/", "%5C", "/", `\`, "/")

func hasDotSegment(id string) bool {
	if !strings.ContainsAny(id, ".%") {
		return false // as nearly all
	}
	for segment := range strings.SplitSeq(encodedPath.Replace(id), "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}
