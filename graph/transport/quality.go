package transport

import "strings"

// ranges calls f for each element of the values of an Accept or Accept-Encoding header (RFC 9110, section 12.5): its
// name, the parameters before its weight, and the weight in thousandths. Elements whose weight cannot be read are left
// out. It looks at each byte once or twice and allocates nothing.
func ranges(values []string, f func(name, parameters string, weight int)) {
	for _, value := range values {
		for value != "" {
			var element string
			element, value = cut(value, ',')
			name, parameters := cut(element, ';')
			name = trim(name)
			if name == "" {
				continue
			}
			parameters, weight, ok := weigh(parameters)
			if ok {
				f(name, parameters, weight)
			}
		}
	}
}

// weigh parts parameters from the weight behind them. What follows a weight, once called extensions of Accept, means
// nothing.
func weigh(parameters string) (before string, weight int, ok bool) {
	for rest := parameters; rest != ""; {
		at := len(parameters) - len(rest)
		var parameter string
		parameter, rest = cut(rest, ';')
		name, value, _ := strings.Cut(parameter, "=")
		if strings.EqualFold(trim(name), "q") {
			weight, ok = parseWeight(trim(value))
			return parameters[:at], weight, ok
		}
	}
	return parameters, 1000, true
}

// parseWeight reads "0.123" as 123: 0 to 1, with three digits at most behind the point.
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

// cut is strings.Cut for a separator that may stand in a quoted string without being one.
func cut(text string, separator byte) (before, after string) {
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

func trim(text string) string { return strings.Trim(text, " \t") }
