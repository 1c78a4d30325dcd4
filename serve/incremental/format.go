package incremental

import (
	"strings"

	"pixgraph/serve/accept"
)

// Format is a format of responses in parts.
type Format struct {
	contentType string
	// Repeated says that the data of a fragment is whole: it repeats what earlier parts have.
	Repeated bool
}

// The formats.
var (
	// v02 is version 0.2 of the specification, as of graphql-js 17.0.0-alpha.9: data is sent once, by the ids of
	// announced fragments.
	v02 = &Format{contentType: contentType + `;incrementalSpec=v0.2`}
	// unversioned is version 0.2 for clients that name no version.
	unversioned = &Format{contentType: contentType}
	// v01 is version 0.1, of 2022: an entry for each fragment, by its path.
	v01 = &Format{contentType: contentType + `;deferSpec=20220824`, Repeated: true}
)

const contentType = `multipart/mixed;boundary="` + boundary + `"`

// FormatOf returns the format to respond in, or nil for JSON. A format is chosen if its weight in Accept is at least
// that of JSON: clients that accept both list both. At equal weights, version 0.2 is preferred to version 0.1, and JSON
// to no version after it: graphql-tools merges such parts into the root of the data, without an error.
func FormatOf(accepted accept.List) (chosen *Format) {
	best, json := 0, 0
	for _, element := range accepted {
		name, weight := element.Name, element.Weight
		if strings.EqualFold(name, "application/json") || strings.EqualFold(name, "application/graphql-response+json") {
			json = max(json, weight)
		}
		format := formatNamed(name, element.Parameters)
		if format == unversioned && weight <= json {
			continue
		}
		if format != nil && (weight > best || weight == best && weight > 0 && chosen.Repeated) {
			chosen, best = format, weight
		}
	}
	if chosen == nil || best < accepted.Weight() {
		return nil
	}
	return chosen
}

// formatNamed returns the format of a media type with its parameters; nil for another type or version.
func formatNamed(name, parameters string) *Format {
	if !strings.EqualFold(name, "multipart/mixed") {
		return nil
	}
	format := unversioned
	for parameters != "" {
		var parameter string
		parameter, parameters = accept.Cut(parameters, ';')
		name, value, _ := strings.Cut(parameter, "=")
		value = strings.Trim(accept.Trim(value), `"`)
		switch strings.ToLower(accept.Trim(name)) {
		case "incrementalspec":
			if format = v02; value != "v0.2" {
				return nil
			}
		case "deferspec":
			if format = v01; value != "20220824" {
				return nil
			}
		case "", "boundary":
		default: // of another protocol
			return nil
		}
	}
	return format
}
