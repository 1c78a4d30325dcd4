// Package accept reads what a client accepts from the headers Accept and Accept-Encoding, and chooses the media type of
// a GraphQL response. It does not choose the protocol of a stream, the format of a file, or compression: the packages
// that write them do, from the same List.
//
// Read List.Negotiate first.
package accept

import "strings"

// Media is a media type of responses.
type Media int

const (
	// JSON is application/json, for clients that predate the specification. Its status is 200 for every GraphQL
	// response, because such a client cannot tell whether another status comes from a proxy.
	JSON Media = iota
	// GraphQL is application/graphql-response+json. Its status tells whether the operation was executed.
	GraphQL
)

// contentTypes are the values of Content-Type. All responses share the slices.
var contentTypes = [...][]string{
	JSON:    {"application/json; charset=utf-8"},
	GraphQL: {"application/graphql-response+json; charset=utf-8"},
}

// ContentType returns the values of the header Content-Type, which must not be modified.
func (m Media) ContentType() []string { return contentTypes[m] }

// How specifically an element of Accept names a media type, in ascending order.
const (
	matchNone      = iota
	matchAll       // */*
	matchSubtypes  // application/*
	matchType      // application/json
	matchParameter // application/json; charset=utf-8
)

// preference is the weight of a media type in Accept, from the most specific element that matches it.
type preference struct{ match, weight int }

func (p *preference) add(match, weight int) {
	if match > p.match || match == p.match && weight > p.weight {
		*p = preference{match, weight}
	}
}

// Negotiate chooses the media type of a response: the one with the higher weight. If the weights are equal, it chooses
// the one that Accept names more specifically. If these are equal too, it chooses application/graphql-response+json,
// which the specification prefers.
//
// Without an Accept header, and for */* alone, it chooses application/json. From 2025 on, the specification's draft
// says that a server SHOULD choose application/graphql-response+json then. But clients that do not state what they
// support predate the specification and expect status 200. The audits of graphql-http also expect application/json.
//
// ok is false if there is an Accept header that allows neither type. Errors are then sent as application/json.
func (l List) Negotiate() (chosen Media, ok bool) {
	graphql, fallback := l.preferences()
	switch {
	case graphql.weight == 0 && fallback.weight == 0:
		return JSON, len(l) == 0
	case graphql.weight != fallback.weight:
		return prefer(graphql.weight > fallback.weight), true
	case min(graphql.match, matchType) != min(fallback.match, matchType):
		return prefer(graphql.match > fallback.match), true
	default:
		return prefer(graphql.match >= matchType), true
	}
}

// Weight returns the weight of the media type that Negotiate chooses, in thousandths.
func (l List) Weight() int {
	graphql, fallback := l.preferences()
	return max(graphql.weight, fallback.weight)
}

// preferences returns the weights of both media types.
func (l List) preferences() (graphql, fallback preference) {
	for _, element := range l {
		name, weight := element.Name, element.Weight
		with, fits := matchParameters(element.Parameters)
		switch {
		case !fits, weight == malformed:
		case name == "*/*":
			graphql.add(matchAll, weight)
			fallback.add(matchAll, weight)
		case strings.EqualFold(name, "application/*"):
			graphql.add(matchSubtypes, weight)
			fallback.add(matchSubtypes, weight)
		case strings.EqualFold(name, "application/graphql-response+json"):
			graphql.add(matchType+with, weight)
		case strings.EqualFold(name, "application/json"):
			fallback.add(matchType+with, weight)
		}
	}
	return graphql, fallback
}

func prefer(graphql bool) Media {
	if graphql {
		return GraphQL
	}
	return JSON
}

// matchParameters reports whether the parameters of an element match the media types of the gateway, which have only a
// charset. with is 1 if the element has a charset.
func matchParameters(parameters string) (with int, fits bool) {
	for parameters != "" {
		var parameter string
		parameter, parameters = Cut(parameters, ';')
		name, value, _ := strings.Cut(parameter, "=")
		if name = Trim(name); name == "" {
			continue
		}
		if !strings.EqualFold(name, "charset") || !IsUTF8(strings.Trim(Trim(value), `"`)) {
			return 0, false
		}
		with = 1
	}
	return with, true
}

// IsUTF8 reports whether a charset is UTF-8, which some programs name utf8.
func IsUTF8(charset string) bool {
	return strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, "utf8")
}
