package rules

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// A bubble is what testing/synctest runs: its clock advances only when all of its goroutines wait.

// bubbles knows what in the test files of a package runs in a bubble only. Functions, methods and types are known by
// name, as in TestGoroutinesRecover.
type bubbles struct {
	files    []*ast.File
	wrappers map[string]int  // functions that run an argument in a bubble, such as "bubble" and "gatewaytest.Run": which
	spans    []span          // arguments of synctest.Test and of wrappers
	inside   map[string]bool // functions, methods, types and variables that are referred to in bubbles only
}

type span struct{ from, to token.Pos }

func (s span) has(pos token.Pos) bool { return s.from <= pos && pos < s.to }

// newBubbles reads the test files of a package. The wrappers are those of other packages.
func newBubbles(files []*ast.File, wrappers map[string]int) *bubbles {
	b := &bubbles{files: files, wrappers: map[string]int{"synctest.Test": 1}, inside: map[string]bool{}}
	maps.Copy(b.wrappers, wrappers)
	maps.Copy(b.wrappers, wrappersOf(files))
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if i, ok := b.wrappers[qualified(call.Fun)]; ok && i < len(call.Args) {
					b.spans = append(b.spans, span{call.Args[i].Pos(), call.Args[i].End()})
				}
			}
			return true
		})
	}
	b.settle()
	return b
}

// wrappersOf are the functions that hand a parameter to synctest.Test, or call it there, and which one.
func wrappersOf(files []*ast.File) map[string]int {
	found := map[string]int{}
	for _, file := range files {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && qualified(call.Fun) == "synctest.Test" && len(call.Args) == 2 {
					if i := slices.IndexFunc(parametersOf(f), func(name string) bool { return runs(call.Args[1], name) }); i >= 0 {
						found[f.Name.Name] = i
					}
				}
				return true
			})
		}
	}
	return found
}

func parametersOf(f *ast.FuncDecl) (names []string) {
	for _, parameter := range f.Type.Params.List {
		for _, name := range parameter.Names {
			names = append(names, name.Name)
		}
	}
	return names
}

// runs reports whether an expression is a function by name, or a function that calls it.
func runs(expr ast.Expr, name string) (does bool) {
	ast.Inspect(expr, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		does = does || ok && nameOf(call.Fun) == name
		return true
	})
	return does || nameOf(expr) == name
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
		refer := func(name string, pos token.Pos) { references[name] = append(references[name], reference{d.key(), pos}) }
		var visit func(ast.Node) bool
		visit = func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncType:
				return false // the type of a parameter runs nothing
			case *ast.SelectorExpr:
				refer("."+n.Sel.Name, n.Pos())
				ast.Inspect(n.X, visit)
				return false
			case *ast.Ident:
				if n.Pos() != d.name.Pos() {
					refer(n.Name, n.Pos())
				}
			}
			return true
		}
		ast.Inspect(d.node, visit)
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
					ofType := d.receiver != "" && name == d.receiver && strings.HasPrefix(r.from, d.receiver+".")
					if r.from == d.key() || ofType {
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

// names are what refers to a declaration: for a method a selector, ".name".
func (d declaration) names() []string {
	if d.receiver != "" {
		return []string{"." + d.name.Name, d.receiver}
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
