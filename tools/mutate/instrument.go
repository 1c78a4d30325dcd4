package main

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// wrap is source before and after a node, or instead of an operator.
type wrap struct {
	around      ast.Node
	operator    *ast.BinaryExpr
	open, close string
	level       int // of wraps around the same node, those with a higher one stand inside
}

// apply inserts wraps into a file. Its lines stay where they are.
func apply(source []byte, file *token.File, wraps []wrap) string {
	start := func(w wrap) int { return file.Offset(w.around.Pos()) }
	end := func(w wrap) int { return file.Offset(w.around.End()) }
	opens, closes, operators := map[int]string{}, map[int]string{}, map[int]wrap{}
	var ranges []wrap
	for _, w := range wraps {
		if w.operator != nil {
			operators[file.Offset(w.operator.OpPos)] = w
		} else {
			ranges = append(ranges, w)
		}
	}
	slices.SortStableFunc(ranges, func(a, b wrap) int { // from the outside to the inside
		return cmp.Or(start(a)-start(b), end(b)-end(a), a.level-b.level)
	})
	for _, w := range ranges {
		opens[start(w)] += w.open
		closes[end(w)] = w.close + closes[end(w)]
	}
	var out strings.Builder
	for i := 0; i <= len(source); i++ {
		out.WriteString(closes[i] + opens[i])
		if w, ok := operators[i]; ok {
			out.WriteString(w.open)
			i += len(w.operator.Op.String()) - 1
		} else if i < len(source) {
			out.WriteByte(source[i])
		}
	}
	return out.String()
}

//go:embed mutant/mutant.go
var support string

// instrument writes the files with all mutants to a directory, and the file for `go build -overlay` that replaces
// those of the module by them. The number of a mutant is its index.
func (m *module) instrument(mutants []*Mutant, directory string) (overlay string, err error) {
	replace := map[string]string{}
	write := func(path, text string) error {
		replaced := filepath.Join(directory, strconv.Itoa(len(replace))+".go")
		replace[path] = replaced
		return os.WriteFile(replaced, []byte(text), 0o644)
	}
	if err := write(filepath.Join(m.root, "internal/mutant/mutant.go"), support); err != nil {
		return "", err
	}
	files := map[string][]wrap{}
	for n, mutant := range mutants {
		path := filepath.Join(m.root, mutant.Package, mutant.File)
		files[path] = append(files[path], mutant.wraps(n)...)
	}
	for path, wraps := range files {
		source, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		syntax := m.files[path]
		wraps = append(wraps, wrap{around: syntax.Name, close: fmt.Sprintf("; import mutant_ %q", m.name+"/internal/mutant")})
		if err := write(path, apply(source, m.fset.File(syntax.Package), wraps)); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(directory, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o644)
}
