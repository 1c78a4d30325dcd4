package check

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isScript reports whether a file is one of JavaScript or TypeScript.
func isScript(name string) bool {
	return slices.Contains([]string{".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"}, filepath.Ext(name))
}

// template is a template literal with GraphQL. Positions are offsets in the characters of the file.
type template struct {
	start, end int // of its text, without the backticks
	holes      []hole
	escape     int // the position of an escape that is not supported; 0 for none
}

// hole is an expression ${…} in a template.
type hole struct {
	at   int
	name string // without properties; "" if the expression is not a name
}

// expression is one within a template literal, which continues after it.
type expression struct {
	literal int       // the position of the literal
	in      *template // nil if the literal is not GraphQL
	braces  int       // open before the literal
}

// script is a scanner that finds templates of GraphQL. It knows the literals and comments of JavaScript, but not its
// grammar. A string and a regular expression end with their line, so that a quote in the text of JSX spoils only that.
type script struct {
	in, graphql []rune // graphql has spaces in place of everything that is not GraphQL
	at          int
	templates   []*template // in the order of their ends
	open        []expression
	braces      int    // open in the current expression
	before      string // the begin of the token before: a word, a literal, or another character
	unended     int    // the position of a template literal without an end; -1 for none
}

var (
	tag = regexp.MustCompile("^((gql|graphql)(<[^`;(){}]*>)?\\s*\\(?\\s*)?(/\\*\\s*(?i:graphql)\\s*\\*/\\s*)?`")
	// operator matches a token after which a slash begins a regular expression.
	operator = regexp.MustCompile(`^([(,=:[!&|?{;+*%~^>-]|await|case|delete|do|else|in|new|of|return|throw|typeof|void|yield)?$`)
	name     = regexp.MustCompile(`^\$\{\s*([\pL_$][\pL\pN_$]*)(\.[\pL_$][\pL\pN_$]*)*\s*\}`)
)

func scan(text string) *script {
	s := &script{in: []rune(text), unended: -1}
	s.graphql = slices.Clone(s.in)
	blank(s.graphql)
	for s.at < len(s.in) {
		s.token()
	}
	if len(s.open) > 0 && s.unended < 0 {
		s.unended = s.open[0].literal
	}
	return s
}

func blank(text []rune) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}

// next returns the following characters, at most n.
func (s *script) next(n int) string { return string(s.in[s.at:min(s.at+n, len(s.in))]) }

// token reads a token of code.
func (s *script) token() {
	start, c := s.at, s.in[s.at]
	comment := s.next(2) == "//" || s.next(2) == "/*"
	tagged := ""
	if c == 'g' || comment {
		tagged = tag.FindString(s.next(200))
	}
	switch {
	case tagged != "":
		s.at += utf8.RuneCountInString(tagged)
		s.literal(&template{start: s.at}, s.at-1)
	case unicode.IsSpace(c):
		s.at++
		return
	case comment:
		s.comment(map[string]string{"//": "\n", "/*": "*/"}[s.next(2)])
		return
	case isWord(c):
		for s.at < len(s.in) && isWord(s.in[s.at]) {
			s.at++
		}
	case c == '\'' || c == '"' || c == '/' && operator.MatchString(s.before):
		s.quoted(c)
	case c == '`':
		s.at++
		s.literal(nil, start)
	case c == '}' && len(s.open) > 0 && s.braces == 0:
		e := s.open[len(s.open)-1]
		s.open, s.braces, s.at = s.open[:len(s.open)-1], e.braces, s.at+1
		s.literal(e.in, e.literal)
	default:
		s.braces += map[rune]int{'{': 1, '}': -1}[c]
		s.at++
	}
	s.before = string(s.in[start:min(start+10, s.at)])
}

func isWord(c rune) bool { return c == '_' || c == '$' || unicode.IsLetter(c) || unicode.IsDigit(c) }

func (s *script) comment(end string) {
	for s.at += 2; s.at < len(s.in) && s.next(len(end)) != end; s.at++ {
	}
	s.at = min(s.at+len(end), len(s.in))
}

func (s *script) quoted(quote rune) {
	class := false // in a class of a regular expression, a slash is a character
	for s.at++; s.at < len(s.in) && s.in[s.at] != '\n'; s.at++ {
		switch c := s.in[s.at]; {
		case c == '\\':
			s.at++
		case quote == '/' && (c == '[' || c == ']'):
			class = c == '['
		case c == quote && !class:
			s.at++
			return
		}
	}
	s.at = min(s.at, len(s.in))
}

// literal reads a template literal, from its start or after an expression in it, to its end or to the next expression.
// t is nil if the literal is not GraphQL.
func (s *script) literal(t *template, start int) {
	for ; s.at < len(s.in); s.at++ {
		c := s.in[s.at]
		switch {
		case c == '`':
			if t != nil {
				t.end = s.at
				s.templates = append(s.templates, t)
			}
			s.at++
			return
		case c == '\\' && s.at+1 < len(s.in):
			if s.at++; t != nil && strings.ContainsRune("`\\$\"'{", s.in[s.at]) {
				s.graphql[s.at] = s.in[s.at]
			} else if t != nil && t.escape == 0 {
				t.escape = s.at - 1
			}
		case c == '$' && s.next(2) == "${":
			if t != nil {
				t.holes = append(t.holes, hole{s.at, append(name.FindStringSubmatch(s.next(200)), "", "")[1]})
			}
			s.open = append(s.open, expression{start, t, s.braces})
			s.at, s.braces = s.at+2, 0
			return
		case t != nil:
			s.graphql[s.at] = c
		}
	}
	s.unended = start
}
