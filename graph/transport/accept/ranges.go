package accept

import "strings"

// Ranges calls f for each element of an Accept or Accept-Encoding header (RFC 9110, section 12.5), with its name, the
// parameters before its weight, and the weight in thousandths. It skips elements with a malformed weight. It takes
// linear time and does not allocate.
func Ranges(values []string, f func(name, parameters string, weight int)) {
	for _, value := range values {
		for value != "" {
			var element string
			element, value = Cut(value, ',')
			name, parameters := Cut(element, ';')
			name = Trim(name)
			if name == "" {
				continue
			}
			parameters, weight, ok := splitWeight(parameters)
			if ok {
				f(name, parameters, weight)
			}
		}
	}
}

// splitWeight splits parameters from the weight after them. It ignores what follows the weight, the obsolete accept
// extensions.
func splitWeight(parameters string) (before string, weight int, ok bool) {
	for rest := parameters; rest != ""; {
		at := len(parameters) - len(rest)
		var parameter string
		parameter, rest = Cut(rest, ';')
		name, value, _ := strings.Cut(parameter, "=")
		if strings.EqualFold(Trim(name), "q") {
			weight, ok = parseWeight(Trim(value))
			return parameters[:at], weight, ok
		}
	}
	return parameters, 1000, true
}

// parseWeight parses a weight from 0 to 1 with at most three decimals: "0.123" is 123.
func parseWeight(text string) (thousandths int, ok bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	if whole != "0" && whole != "1" || len(fraction) > 3 {
		return 0, false
	}
	thousandths = int(whole[0] - '0')
	for i := range 3 {
		thousandths *= 10
		if i < len(fraction) {
			if fraction[i] < '0' || fraction[i] > '9' {
				return 0, false
			}
			thousandths += int(fraction[i] - '0')
		}
	}
	return thousandths, thousandths <= 1000
}

// Cut is strings.Cut for a separator byte outside quoted strings.
func Cut(text string, separator byte) (before, after string) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c == separator && !quoted:
			return text[:i], text[i+1:]
		}
	}
	return text, ""
}

// Trim removes the white space around a part of a header.
func Trim(text string) string { return strings.Trim(text, " \t") }
