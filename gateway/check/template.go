package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// templates returns the GraphQL of a script with spaces in place of the rest, so that positions are those of the file,
// and the ends of its templates. A template with a problem is omitted, and ok is then false.
func (r *run) templates(input *ast.Source) (text string, ends []int, ok bool) {
	ok = true
	s := scan(input.Input)
	problem := func(at int, message string) {
		line, column := 1, 1
		for _, c := range s.in[:at] {
			if column++; c == '\n' {
				line, column = line+1, 1
			}
		}
		r.problem(input.Name, line, column, message)
		ok = false
	}
	if s.unended >= 0 {
		problem(s.unended, "the template literal has no end")
		return "", nil, ok
	}
	slices.SortFunc(s.templates, func(a, b *template) int { return a.start - b.start })
	names := map[string]bool{} // in holes
	previous := 0              // the end of the template before: one may be within an expression of another
	for _, t := range s.templates {
		if t.start < previous {
			continue
		}
		previous = t.end
		if at, message := t.problem(string(s.graphql[t.start:t.end])); message != "" {
			problem(at, message)
			if blank(s.graphql[t.start:t.end]); r.report.Stopped {
				break
			}
			continue
		}
		ends = append(ends, t.end)
		for _, h := range t.holes {
			names[h.name] = true
		}
	}
	if len(names) > 0 {
		r.hints[input.Name] = hint(input.Input, names)
	}
	return string(s.graphql), ends, ok
}

// problem returns why a template cannot be read, and where. A hole is a document of fragments, which is where its
// template has whole definitions before and after it.
func (t *template) problem(text string) (at int, message string) {
	if t.escape > 0 {
		return t.escape, "an escape of JavaScript in a template is not supported"
	}
	parts, err := split(&ast.Source{Input: text})
	for _, p := range parts {
		if !p.ends && err == nil { // the parser reports err
			return t.start + p.at.Start, "the operation or fragment has no end"
		}
	}
	for _, h := range t.holes {
		if h.name == "" {
			return h.at, "an expression in a template must be the name of a fragment"
		}
		for len(parts) > 0 && t.start+parts[0].at.End <= h.at {
			parts = parts[1:]
		}
		if len(parts) > 0 && t.start+parts[0].at.Start < h.at {
			return h.at, fmt.Sprintf("${%s} must be before or after an operation or fragment, not in it", h.name)
		}
	}
	return 0, ""
}

// imports matches the names of an import and the module from which they come.
var imports = regexp.MustCompile(`\bimport\s+([^;'"` + "`" + `]*?)\s+from\s*['"]([^'"\n]*)['"]`)

// maxSources bounds the files in a hint.
const maxSources = 5

// hint returns which files may have the fragments that templates insert, for the error of one that is not found.
func hint(text string, holes map[string]bool) string {
	var sources []string
	for _, match := range imports.FindAllStringSubmatch(text, -1) {
		for _, word := range strings.FieldsFunc(match[1], func(c rune) bool { return !isWord(c) }) {
			if holes[word] && len(sources) < maxSources {
				sources = append(sources, fmt.Sprintf("%s from %q", word, match[2]))
			}
		}
	}
	if len(sources) == 0 {
		return ""
	}
	return " Also check the files from which templates insert fragments: " + strings.Join(sources, ", ") + "."
}

// removed matches the error of a directive of Relay or Apollo Client, which removes it before it sends an operation.
var removed = regexp.MustCompile(`^Unknown directive "@(alias|catch|connection|inline|nonreactive|raw_response_type|refetchable|` +
	`relay|required|throwOnFieldError|unmask|(ap|pre)pend(Edge|Node)|delete(Edge|Record))"`)
