package web

import (
	"strings"

	"pixgraph/serve/accept"
)

// accepts reports whether the values of Accept-Encoding accept a coding (RFC 9110, section 12.5.3). A weight only
// matters if it is zero, because the gateway knows which coding is smallest.
func accepts(values []string, coding string) bool {
	const absent = -1
	named, all := absent, 0
	for _, element := range accept.Read(new(accept.Few), values) {
		switch {
		case element.Weight < 0:
		case strings.EqualFold(element.Name, coding):
			named = element.Weight
		case element.Name == "*":
			all = element.Weight
		}
	}
	if named == absent {
		return all > 0
	}
	return named > 0
}
