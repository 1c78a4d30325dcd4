package console

import (
	"strconv"
	"strings"
)

// accepts reports whether the values of Accept-Encoding accept a coding (RFC 9110, section 12.5.3). A weight only
// matters if it is zero, because the gateway knows which coding is smallest.
func accepts(values []string, coding string) bool {
	all := false
	for _, value := range values {
		for element := range strings.SplitSeq(value, ",") {
			name, parameters, _ := strings.Cut(element, ";")
			switch name = strings.TrimSpace(name); {
			case strings.EqualFold(name, coding):
				return !refused(parameters)
			case name == "*":
				all = !refused(parameters)
			}
		}
	}
	return all
}

// refused reports whether the parameters of an element have a weight of zero, or an invalid one.
func refused(parameters string) bool {
	name, value, found := strings.Cut(parameters, "=")
	if !found || !strings.EqualFold(strings.TrimSpace(name), "q") {
		return false
	}
	weight, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return err != nil || !(weight > 0)
}
