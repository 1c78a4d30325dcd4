package rules

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

// A panic in a goroutine that does not recover ends the process, with every request in it.

// needNoRecover lists the functions that start a goroutine without a deferred recover, with the reason why it needs
// none. The key is the file and the function that starts the goroutine; a directory covers all of its functions.
var needNoRecover = map[string]string{
	"auth/keysource.go: refresh":               "fetchKeySet recovers from panics that a document of an issuer may cause",
	"internal/httpserver/http2.go: guard":      "closes a connection",
	"internal/memory/memory.go: Pace":          "reads runtime metrics; no input reaches it",
	"gateway/commands.go: Run":                 "a command, which should end with its own panic",
	"auth/auth.go: Start":                      "cancels a context",
	"internal/filewatch/watch.go: Watch":       "reads files of the operator; manifest.check recovers from panics that a document may cause",
	"graph/execute/projection/execute.go: all": "root recovers, as gqlgen does",
	"internal/egress/connect.go: connect":      "makes a connection; no input reaches it",
	"internal/egress/egresstest/":              "only tests import it",
	"internal/egress/proxy.go: Dial":           "sets a deadline of a connection",
	"fleet/connect.go: open":                   "closes a connection",
	"fleet/inspect.go: inspectChannel":         "closes a connection",
	"internal/memnet/":                         "only tests import it",
	"internal/process/":                        "a part of the tool, which should end with its own panic",
	"internal/redistest/":                      "only tests and tools import it",
	"test/replica/":                            "only tests import it",
	"server.go: main":                          "cancels a context",
	"gateway/drain.go: drain":                  "cancels a context",
	"gateway/serving.go: serve":                "net/http recovers from the panics of handlers",
	"gateway/listener/connection.go: Read":     "releases a place of a channel",
	"upstream/client/unit.go: End":             "releases a unit of a queue",
	"upstream/http1/conn.go: exchange":         "sets a deadline of a connection",
	"upstream/http1/idle.go: sweepIn":          "closes connections; no input reaches it",
	"upstream/nethttp/nethttp.go: exchange":    "cancels a context",
	"upstream/live/live.go: New":               "tick calls methods of the engine only; no input reaches them",
	"upstream/live/live.go: do":                "guard recovers from the panics of reads, answers and sinks",
	"sandbox/":                                 "the sandbox is for development and serves no caller of a real gateway",
	"serve/download.go: download":              "cancels a context",
}

// TestGoroutinesRecover: every function that runs in a new goroutine, or is called by a timer or a context, recovers
// from its panics or is in the table.
func TestGoroutinesRecover(t *testing.T) {
	unused := maps.Clone(needNoRecover)
	for _, p := range packages(t) {
		if p.Name == "generated" { // gqlgen recovers in each goroutine that it starts
			continue
		}
		var parsed []*ast.File
		for _, name := range p.GoFiles {
			parsed = append(parsed, parse(t, filepath.Join(p.Dir, name)))
		}
		for _, s := range unrecovered(parsed) {
			at := positions.Position(s.at)
			dir := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "pixgraph")+"/", "/")
			file := dir + filepath.Base(at.Filename)
			key := file + ": " + s.by
			if _, ok := needNoRecover[dir]; ok {
				key = dir
			}
			if _, ok := needNoRecover[key]; !ok {
				t.Errorf("%s:%d: %s starts a goroutine without a deferred recover, and is not in needNoRecover", file, at.Line, s.by)
			}
			delete(unused, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(unused)) {
		t.Errorf("needNoRecover has %q, but no goroutine there lacks a recover: remove the row", key)
	}
}

// start is a place where a function starts a goroutine that does not recover.
type start struct {
	by string // the name of the function that starts it
	at token.Pos
}

// unrecovered finds the functions that the files of a package start in goroutines and that do not recover.
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

// started is the function that a statement or call starts: `go f()`, `group.Go(f)`, `group.TryGo(f)`,
// `time.AfterFunc(d, f)` and `context.AfterFunc(ctx, f)`. It is nil for any other node.
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

// recovers reports whether a function has a deferred recover, or only calls a function of the package that has one.
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

// nameOf is the name of the function or method that an expression refers to, or "".
func nameOf(f ast.Expr) string {
	switch f := f.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// allRecover reports whether all methods with a name recover: their receivers are not distinguished.
func allRecover(functions []*ast.FuncDecl, declared map[string][]*ast.FuncDecl) bool {
	for _, f := range functions {
		if f.Body == nil || !hasDeferredRecover(f.Body, declared) {
			return false
		}
	}
	return len(functions) > 0
}

// hasDeferredRecover checks only the top-level statements of a body: a defer in a branch or a loop may come too late.
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

// callsRecover reports whether a body itself calls recover: in a nested function, recover would return nil.
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

// TestUnrecovered: unrecovered knows each form of starting a goroutine and of recovering.
func TestUnrecovered(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       int
	}{
		{"a literal", `go func() { work() }()`, 1},
		{"a literal that recovers", `go func() { defer func() { _ = recover() }(); work() }()`, 0},
		{"a literal that defers a function that recovers", `go func() { defer rescue(); work() }()`, 0},
		{"a literal that defers another function", `go func() { defer work(); work() }()`, 1},
		{"a recover nested too deep", `go func() { defer func() { func() { _ = recover() }() }(); work() }()`, 1},
		{"a recover that is not deferred", `go func() { _ = recover(); work() }()`, 1},
		{"a recover in a branch", `go func() { if true { defer rescue() }; work() }()`, 1},
		{"a function", `go work()`, 1},
		{"a function that recovers", `go safe()`, 0},
		{"a method", `go x.run()`, 1},
		{"a method that recovers", `go x.safely()`, 0},
		{"a function of another package", `go other.Work()`, 1},
		{"a group", `group.Go(func() { work() })`, 1},
		{"a group with a method that recovers", `group.Go(func() { x.safely() })`, 0},
		{"a group with TryGo", `group.TryGo(work)`, 1},
		{"a timer", `timer = time.AfterFunc(d, x.run)`, 1},
		{"a context", `defer context.AfterFunc(ctx, func() { work() })()`, 1},
		{"a goroutine within another", `go func() { defer rescue(); go work() }()`, 1},
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
