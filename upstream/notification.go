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
// characters, and not "." or "..", which a proxy would resolve to another path.
func ValidNotificationID(id string) bool {
	return id != "" && id != "." && id != ".." && len(id) <= maxNotificationID && utf8.ValidString(id) &&
		!strings.ContainsFunc(id, unicode.IsControl)
}
