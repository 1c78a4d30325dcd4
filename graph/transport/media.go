package transport

import "strings"

// media is a media type of answers.
type media int

const (
	// mediaJSON is application/json, for clients from before the specification: its status is 200 for everything that
	// GraphQL has an answer for, since a client cannot tell whether another status comes from a proxy.
	mediaJSON media = iota
	// mediaGraphQL is application/graphql-response+json, whose status says whether the operation was executed.
	mediaGraphQL
)

// contentTypes are the values of Content-Type, as shared as those of securityHeader.
var contentTypes = [...][]string{
	mediaJSON:    {"application/json; charset=utf-8"},
	mediaGraphQL: {"application/graphql-response+json; charset=utf-8"},
}

// How exactly an element of Accept names a media type.
const (
	matchNone      = iota
	matchAll       // */*
	matchSubtypes  // application/*
	matchType      // application/json
	matchParameter // application/json; charset=utf-8
)

// preference is what Accept says of one media type: the weight of the most exact element that names it.
type preference struct{ match, weight int }

func (p *preference) add(match, weight int) {
	if match > p.match || match == p.match && weight > p.weight {
		*p = preference{match, weight}
	}
}

// negotiate chooses the media type of an answer: the one with the higher weight; of equal ones the one that is named more
// exactly; of equal ones application/graphql-response+json, which the specification prefers.
//
// Without an Accept header, and for */* alone, it is application/json. The draft turns to the other one from 2025 on for
// requests without the header, but that is a SHOULD about clients that do not say what they know, and those are the ones
// from before it: their code looks for status 200. The audits of graphql-http ask for this too.
//
// It is ok unless there is an Accept header that has neither; then errors are told in application/json.
func negotiate(accept []string) (chosen media, ok bool) {
	var (
		named             bool
		graphql, fallback preference
	)
	ranges(accept, func(name, parameters string, weight int) {
		named = true
		with, fits := matchParameters(parameters)
		if !fits {
			return
		}
		switch {
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
	})
	switch {
	case graphql.weight == 0 && fallback.weight == 0:
		return mediaJSON, !named && empty(accept)
	case graphql.weight != fallback.weight:
		return prefer(graphql.weight > fallback.weight), true
	case min(graphql.match, matchType) != min(fallback.match, matchType):
		return prefer(graphql.match > fallback.match), true
	default:
		return prefer(graphql.match >= matchType), true
	}
}

func prefer(graphql bool) media {
	if graphql {
		return mediaGraphQL
	}
	return mediaJSON
}

// matchParameters reports whether the parameters of an element fit our media types, which have a charset and no other:
// with is 1 when the element names it.
func matchParameters(parameters string) (with int, fits bool) {
	for parameters != "" {
		var parameter string
		parameter, parameters = cut(parameters, ';')
		name, value, _ := strings.Cut(parameter, "=")
		if name = trim(name); name == "" {
			continue
		}
		if !strings.EqualFold(name, "charset") || !isUTF8(strings.Trim(trim(value), `"`)) {
			return 0, false
		}
		with = 1
	}
	return with, true
}

// empty reports whether a header is missing or has no element.
func empty(values []string) bool {
	for _, value := range values {
		if strings.Trim(value, " \t,") != "" {
			return false
		}
	}
	return true
}
