package accept

import "strings"

// Range is an element of an Accept or Accept-Encoding header (RFC 9110, section 12.5).
type Range struct {
	Name, Parameters string // the parameters before the weight
	Weight           int    // in thousandths; below 0 for an element that is malformed
}

// List is the elements of a header.
type List []Range

// Few has room for the elements of most headers, so that Read does not allocate.
type Few [8]Range

// Read returns the elements of a header, in the memory of few as far as it suffices. It takes linear time.
func Read(few *Few, values []string) List {
	list := List(few[:0])
	for _, value := range values {
		for value != "" {
			var element string
			element, value = Cut(value, ',')
			if Trim(element) == "" {
				continue
			}
			name, parameters := Cut(element, ';')
			parameters, weight, ok := splitWeight(parameters)
			if name = Trim(name); name == "" || !ok {
				weight = malformed
			}
			list = append(list, Range{name, parameters, weight})
		}
	}
	return list
}

const malformed = -1

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
