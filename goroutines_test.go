package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A panic in a goroutine ends the process, with every request in it, unless the goroutine recovers from it.

// needNoRecover lists the functions that start a goroutine without a deferred recover, each with the reason why it needs
// none. The key is the file and the function that starts it; a directory stands for all of its functions.
var needNoRecover = map[string]string{
	"auth/keysource.go: refresh":        "fetchKeySet recovers from what a document of an issuer may cause",
	"internal/memory/memory.go: Pace":   "reads numbers of the runtime; no input reaches it",
	"auth/auth.go: Start":               "cancels a context",
	"graph/persisted/persisted.go: New": "reads a file; rule.check recovers from what a document in it may cause",
	"internal/bench/":                   "a tool: it shall end with its own panic",
	"internal/process/":                 "a part of tools: they shall end with its panic",
	"internal/soak/":                    "a tool: it shall end with its own panic",
	"internal/storm/":                   "a tool: it shall end with its own panic",
	"server.go: main":                   "cancels a context",
	"server.go: serve":                  "net/http recovers from the panics of handlers",
	"upstream/http1/conn.go: exchange":  "sets a deadline of a connection",
	"upstream/http1/idle.go: sweepIn":   "closes connections; no input reaches it",
	"upstream/sandbox/":                 "a stand-in for development, which serves no caller of a real gateway",
}

// TestGoroutinesRecover: every function that is started in a goroutine of its own, or by a timer or a context, recovers
// from its panics, or is in the table.
func TestGoroutinesRecover(t *testing.T) {
	unused := maps.Clone(needNoRecover)
	for _, p := range packages(t) {
		if p.Name == "generated" { // gqlgen recovers in each goroutine that it starts
			continue
		}
		files := token.NewFileSet()
		var parsed []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, file)
		}
		for _, s := range unrecovered(parsed) {
			at := files.Position(s.at)
			dir := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "pixgraph")+"/", "/")
			file := dir + filepath.Base(at.Filename)
			key := file + ": " + s.by
			if _, ok := needNoRecover[dir]; ok {
				key = dir
			}
			if _, ok := needNoRecover[key]; !ok {
				t.Errorf("%s:%d: what %s starts has no deferred recover, and no reason in needNoRecover", file, at.Line, s.by)
			}
			delete(unused, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(unused)) {
		t.Errorf("needNoRecover has %q, and no goroutine there is without a recover: take the row out", key)
	}
}

// start is where a function starts another one that does not recover.
type start struct {
	by string // the name of the function that starts it
	at token.Pos
}

// unrecovered finds the functions that the files of a package start and that do not recover.
func unrecovered(files []*ast.File) []start {
	declared := map[string][]*ast.FuncDecl{} // functions and methods by name
	for _, file := range files {
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				declared[f.Name.Name] = append(declared[f.Name.Name], f)
			}
		}
	}
	var found []start
	for _, file := range files {
		for _, decl := range file.Decls {
			by := "a variable"
			if f, ok := decl.(*ast.FuncDecl); ok {
				by = f.Name.Name
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				if f := started(n); f != nil && !recovers(f, declared) {
					found = append(found, start{by, n.Pos()})
				}
				return true
			})
		}
	}
	return found
}

// started is the function that a statement or call starts: `go f()`, `group.Go(f)`, `group.TryGo(f)`, `time.AfterFunc(d, f)`
// and `context.AfterFunc(ctx, f)`. It is nil for any other node.
func started(n ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.GoStmt:
		return n.Call.Fun
	case *ast.CallExpr:
		selector, ok := n.Fun.(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		switch name := selector.Sel.Name; {
		case (name == "Go" || name == "TryGo") && len(n.Args) == 1:
			return n.Args[0]
		case name == "AfterFunc" && len(n.Args) == 2:
			return n.Args[1]
		}
	}
	return nil
}

// recovers tells whether a function has a deferred recover, or does nothing but call one of the package that has.
func recovers(f ast.Expr, declared map[string][]*ast.FuncDecl) bool {
	literal, ok := f.(*ast.FuncLit)
	if !ok {
		return allRecover(declared[nameOf(f)], declared)
	}
	if hasDeferredRecover(literal.Body, declared) {
		return true
	}
	if len(literal.Body.List) != 1 {
		return false
	}
	statement, ok := literal.Body.List[0].(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := statement.X.(*ast.CallExpr)
	return ok && allRecover(declared[nameOf(call.Fun)], declared)
}

// nameOf is the name of a function or method that an expression names, or "".
func nameOf(f ast.Expr) string {
	switch f := f.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// allRecover: of methods that share a name all must recover, as their receivers are not told apart here.
func allRecover(functions []*ast.FuncDecl, declared map[string][]*ast.FuncDecl) bool {
	for _, f := range functions {
		if f.Body == nil || !hasDeferredRecover(f.Body, declared) {
			return false
		}
	}
	return len(functions) > 0
}

// hasDeferredRecover looks at the statements of a body itself: a defer in a branch or a loop may come too late.
func hasDeferredRecover(body *ast.BlockStmt, declared map[string][]*ast.FuncDecl) bool {
	for _, statement := range body.List {
		deferred, ok := statement.(*ast.DeferStmt)
		if !ok {
			continue
		}
		if literal, ok := deferred.Call.Fun.(*ast.FuncLit); ok {
			if callsRecover(literal.Body) {
				return true
			}
			continue
		}
		functions := declared[nameOf(deferred.Call.Fun)]
		all := len(functions) > 0
		for _, f := range functions {
			all = all && f.Body != nil && callsRecover(f.Body)
		}
		if all {
			return true
		}
	}
	return false
}

// callsRecover tells whether a body calls recover itself: in a function within it, recover would return nil.
func callsRecover(body *ast.BlockStmt) bool {
	calls := false
	ast.Inspect(body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		if call, ok := n.(*ast.CallExpr); ok && nameOf(call.Fun) == "recover" {
			calls = true
		}
		return !calls
	})
	return calls
}

// TestUnrecovered finds what starts goroutines, in each form, and what recovers.
func TestUnrecovered(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       int
	}{
		{"a literal", `go func() { work() }()`, 1},
		{"a literal that recovers", `go func() { defer func() { _ = recover() }(); work() }()`, 0},
		{"a literal that defers a function that recovers", `go func() { defer rescue(); work() }()`, 0},
		{"a literal that defers another", `go func() { defer work(); work() }()`, 1},
		{"a recover too deep", `go func() { defer func() { func() { _ = recover() }() }(); work() }()`, 1},
		{"a recover that is not deferred", `go func() { _ = recover(); work() }()`, 1},
		{"a recover in a branch", `go func() { if true { defer rescue() }; work() }()`, 1},
		{"a function", `go work()`, 1},
		{"a function that recovers", `go safe()`, 0},
		{"a method", `go x.run()`, 1},
		{"a method that recovers", `go x.safely()`, 0},
		{"a function of another package", `go other.Work()`, 1},
		{"a group", `group.Go(func() { work() })`, 1},
		{"a group, and a method that recovers", `group.Go(func() { x.safely() })`, 0},
		{"a group that may refuse", `group.TryGo(work)`, 1},
		{"a timer", `timer = time.AfterFunc(d, x.run)`, 1},
		{"a context", `defer context.AfterFunc(ctx, func() { work() })()`, 1},
		{"one within another", `go func() { defer rescue(); go work() }()`, 1},
		{"no goroutine", `work(); x.run(); func() { work() }()`, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source := "package p\nfunc f() {\n" + tt.body + "\n}\n" + `
				func work() {}
				func rescue() { _ = recover() }
				func safe() { defer rescue(); work() }
				type x struct{}
				func (x) run() {}
				func (x) safely() { defer func() { _ = recover() }(); work() }`
			file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
			if err != nil {
				t.Fatal(err)
			}
			found := unrecovered([]*ast.File{file})
			if len(found) != tt.want {
				t.Errorf("found %d, want %d", len(found), tt.want)
			}
			for _, s := range found {
				if s.by != "f" {
					t.Errorf("started by %s", s.by)
				}
			}
		})
	}
}
