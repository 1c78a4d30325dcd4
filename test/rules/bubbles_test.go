package rules

import (
	"go/ast"
	"go/token"
	"strings"
)

// A bubble is what testing/synctest runs: its clock advances only when all of its goroutines wait.

// bubbles knows what in the test files of a package runs in a bubble only. Functions, methods and types are known by
// name, as in TestGoroutinesRecover.
type bubbles struct {
	files    []*ast.File
	wrappers map[string]bool // functions that run their argument in a bubble: "bubble", "gatewaytest.Run"
	spans    []span          // arguments of synctest.Test and of wrappers
	inside   map[string]bool // functions, methods, types and variables that are referred to in bubbles only
}

type span struct{ from, to token.Pos }

func (s span) has(pos token.Pos) bool { return s.from <= pos && pos < s.to }

// newBubbles reads the test files of a package. The wrappers are those of other packages.
func newBubbles(files []*ast.File, wrappers map[string]bool) *bubbles {
	b := &bubbles{files: files, wrappers: map[string]bool{"synctest.Test": true}, inside: map[string]bool{}}
	for name := range wrappers {
		b.wrappers[name] = true
	}
	for name := range wrappersOf(files) {
		b.wrappers[name] = true
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && b.wrappers[qualified(call.Fun)] {
				for _, argument := range call.Args {
					b.spans = append(b.spans, span{argument.Pos(), argument.End()})
				}
			}
			return true
		})
	}
	b.settle()
	return b
}

// wrappersOf are the functions that call synctest.Test with a function that they are given.
func wrappersOf(files []*ast.File) map[string]bool {
	found := map[string]bool{}
	for _, file := range files {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Body == nil || !hasFunctionParameter(f) {
				continue
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && qualified(call.Fun) == "synctest.Test" {
					found[f.Name.Name] = true
				}
				return true
			})
		}
	}
	return found
}

func hasFunctionParameter(f *ast.FuncDecl) bool {
	for _, parameter := range f.Type.Params.List {
		if _, ok := parameter.Type.(*ast.FuncType); ok {
			return true
		}
	}
	return false
}

// settle finds what is referred to in bubbles only. It starts with every declaration that is referred to, and removes
// what is referred to from outside until nothing changes.
func (b *bubbles) settle() {
	type reference struct {
		from string // the declaration that has it
		pos  token.Pos
	}
	references := map[string][]reference{}
	for _, d := range b.declarations() {
		ast.Inspect(d.node, func(n ast.Node) bool {
			if _, ok := n.(*ast.FuncType); ok {
				return false // the type of a parameter runs nothing
			}
			if name, ok := n.(*ast.Ident); ok && name.Pos() != d.name.Pos() {
				references[name.Name] = append(references[name.Name], reference{d.key(), name.Pos()})
			}
			return true
		})
	}
	for _, d := range b.declarations() {
		b.inside[d.key()] = !isEntry(d.name.Name)
	}
	for changed := true; changed; {
		changed = false
		for _, d := range b.declarations() {
			if !b.inside[d.key()] {
				continue
			}
			used, outside := false, false
			for _, name := range d.names() {
				for _, r := range references[name] {
					if r.from == d.key() || d.receiver != "" && strings.HasPrefix(r.from, d.receiver+".") {
						continue
					}
					used = true
					outside = outside || !b.inSpan(r.pos) && !b.inside[r.from]
				}
				if used {
					break // the type of a method decides only for one that nobody names, such as an interface's
				}
			}
			if !used || outside {
				b.inside[d.key()], changed = false, true
			}
		}
	}
}

// declaration is a function, a method, a type or a variable of a package.
type declaration struct {
	name     *ast.Ident
	receiver string
	node     ast.Node
}

func (d declaration) key() string {
	if d.receiver != "" {
		return d.receiver + "." + d.name.Name
	}
	return d.name.Name
}

// names are what refers to a declaration.
func (d declaration) names() []string {
	if d.receiver != "" {
		return []string{d.name.Name, d.receiver}
	}
	return []string{d.name.Name}
}

func (b *bubbles) declarations() (all []declaration) {
	for _, file := range b.files {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				all = append(all, declaration{decl.Name, receiverOf(decl), decl})
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							all = append(all, declaration{name, "", spec})
						}
					case *ast.TypeSpec:
						all = append(all, declaration{spec.Name, "", spec})
					}
				}
			}
		}
	}
	return all
}

func receiverOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	expr := f.Recv.List[0].Type
	if pointer, ok := expr.(*ast.StarExpr); ok {
		expr = pointer.X
	}
	if generic, ok := expr.(*ast.IndexExpr); ok {
		expr = generic.X
	}
	return nameOf(expr)
}

// isEntry reports whether go test itself calls a function.
func isEntry(name string) bool {
	for _, prefix := range []string{"Test", "Fuzz", "Benchmark", "Example"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return name == "init" || name == "main"
}

func (b *bubbles) inSpan(pos token.Pos) bool {
	for _, s := range b.spans {
		if s.has(pos) {
			return true
		}
	}
	return false
}

// has reports whether a node runs in a bubble only.
func (b *bubbles) has(n ast.Node) bool {
	if b.inSpan(n.Pos()) {
		return true
	}
	for _, d := range b.declarations() {
		if d.node.Pos() <= n.Pos() && n.Pos() < d.node.End() {
			return b.inside[d.key()]
		}
	}
	return false
}

// qualified is "package.Name" for a selector, and "Name" for an identifier.
func qualified(f ast.Expr) string {
	switch f := f.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if left := nameOf(f.X); left != "" {
			return left + "." + f.Sel.Name
		}
		return "." + f.Sel.Name
	case *ast.IndexExpr:
		return qualified(f.X)
	}
	return ""
}
