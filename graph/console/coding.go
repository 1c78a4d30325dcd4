package console

import (
	"strings"

	"pixgraph/graph/transport/accept"
)

// accepts reports whether the values of Accept-Encoding accept a coding (RFC 9110, section 12.5.3). A weight only
// matters if it is zero, because the gateway knows which coding is smallest.
func accepts(values []string, coding string) bool {
	const absent = -1
	named, all := absent, 0
	accept.Ranges(values, func(name, _ string, weight int) {
		switch {
		case strings.EqualFold(name, coding):
			named = weight
		case name == "*":
			all = weight
		}
	})
	if named == absent {
		return all > 0
	}
	return named > 0
}
