package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path"
	"slices"
)

// Mutant is a small change of one place.
type Mutant struct {
	Package      string // without the path of the module
	File         string // its base name
	Line, Column int
	Change       string
	wraps        func(n int) []wrap // the edits that make the change depend on whether the mutant n is on
}

func (m *Mutant) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", path.Join(m.Package, m.File), m.Line, m.Column, m.Change)
}

// finder collects the mutants of a package.
type finder struct {
	fset  *token.FileSet
	info  *types.Info
	name  string // of the package
	found []*Mutant
}

// file finds mutants in the bodies of functions. Outside of them, code runs before any test, for all tests.
func (f *finder) file(file *ast.File) {
	for _, declaration := range file.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok && function.Body != nil {
			ast.Inspect(function.Body, f.node)
		}
	}
}

func (f *finder) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ArrayType, *ast.StructType, *ast.InterfaceType, *ast.FuncType:
		return false
	case *ast.GenDecl:
		return n.Tok != token.CONST
	case *ast.KeyValueExpr: // keys of arrays must be constant
		ast.Inspect(n.Value, f.node)
		return false
	case *ast.CallExpr:
		if name, ok := n.Fun.(*ast.Ident); ok && name.Name == "make" { // a capacity changes nothing
			return false
		}
	case *ast.IfStmt:
		f.condition(n.Cond)
	case *ast.ForStmt:
		f.condition(n.Cond)
	case *ast.ReturnStmt:
		for _, result := range n.Results {
			if f.isBool(result) && !isComparison(result) {
				f.negate(result, "the result")
			}
		}
	case *ast.BlockStmt:
		f.statements(n.List)
	case *ast.CaseClause:
		f.statements(n.Body)
	case *ast.CommClause:
		f.statements(n.Body)
	}
	expression, ok := n.(ast.Expr)
	if !ok {
		return true
	}
	if value := f.info.Types[expression].Value; value != nil {
		f.constant(expression, value)
		return false
	}
	if binary, ok := n.(*ast.BinaryExpr); ok {
		f.binary(binary)
	}
	return true
}

// condition negates a condition. Comparisons have mutants of their own.
func (f *finder) condition(e ast.Expr) {
	if e != nil && f.isBool(e) && f.info.Types[e].Value == nil && !isComparison(e) {
		f.negate(e, "the condition")
	}
}

func isComparison(e ast.Expr) bool {
	binary, ok := ast.Unparen(e).(*ast.BinaryExpr)
	return ok && binary.Op != token.LAND && binary.Op != token.LOR
}

// isBool excludes other types whose underlying type is bool, which cannot be compared with On's result.
func (f *finder) isBool(e ast.Expr) bool {
	t := f.info.TypeOf(e)
	return t == types.Typ[types.Bool] || t == types.Typ[types.UntypedBool]
}

// inverse is the source around an expression that makes it the opposite if the mutant is on.
func inverse(n ast.Node, number int) wrap {
	return wrap{around: n, open: "((", close: fmt.Sprintf(") != mutant_.On(%d))", number)}
}

func (f *finder) negate(e ast.Expr, what string) {
	f.add(e.Pos(), "negate "+what, func(n int) []wrap { return []wrap{inverse(e, n)} })
}

// calls are the functions of the package mutant instead of operators, and the operators of the mutants.
var calls = map[token.Token]struct{ function, operator string }{
	token.LSS: {"Less", "<="}, token.LEQ: {"LessEqual", "<"}, token.GTR: {"Greater", ">="}, token.GEQ: {"GreaterEqual", ">"},
	token.ADD: {"Plus", "-"}, token.SUB: {"Minus", "+"}, token.MUL: {"Times", "/"}, token.QUO: {"Divided", "*"},
}

var opposite = map[token.Token]string{
	token.EQL: "!=", token.NEQ: "==", token.LSS: ">=", token.GEQ: "<", token.GTR: "<=", token.LEQ: ">",
}

func (f *finder) binary(e *ast.BinaryExpr) {
	change := func(operator string) string { return fmt.Sprintf("%s to %s", e.Op, operator) }
	if operator, ok := opposite[e.Op]; ok && f.isBool(e) {
		f.add(e.OpPos, change(operator), func(n int) []wrap { return []wrap{inverse(e, n)} })
	}
	if call, ok := calls[e.Op]; ok && f.isNumber(e.X) && f.isNumber(e.Y) {
		f.add(e.OpPos, change(call.operator), func(n int) []wrap {
			return []wrap{
				{around: e, open: fmt.Sprintf("mutant_.%s(%d, ", call.function, n), close: ")", level: 1},
				{operator: e, open: ","},
			}
		})
	}
	// By De Morgan's laws the negation of the operands and of the result turns && into ||, and the other way around.
	// Which operands are evaluated is right in either case.
	if other := map[token.Token]string{token.LAND: "||", token.LOR: "&&"}[e.Op]; other != "" && f.isBool(e) && f.isBool(e.X) && f.isBool(e.Y) {
		f.add(e.OpPos, change(other), func(n int) []wrap { return []wrap{inverse(e, n), inverse(e.X, n), inverse(e.Y, n)} })
	}
}

// isNumber excludes shifts, whose type depends on what is around them, and types that are parameters.
func (f *finder) isNumber(e ast.Expr) bool {
	if shift, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && (shift.Op == token.SHL || shift.Op == token.SHR) {
		return false
	}
	t := f.info.TypeOf(e)
	if _, parameter := types.Unalias(t).(*types.TypeParam); parameter {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsNumeric != 0 && basic.Info()&(types.IsComplex|types.IsUntyped) == 0
}

// constant changes integers, but neither characters nor values of enumerations.
func (f *finder) constant(e ast.Expr, value constant.Value) {
	t, ok := f.info.TypeOf(e).(*types.Basic)
	literal, _ := e.(*ast.BasicLit)
	if !ok || t.Info()&types.IsInteger == 0 || t.Info()&types.IsUntyped != 0 || literal != nil && literal.Kind == token.CHAR {
		return
	}
	for _, delta := range []int64{1, -1} {
		f.add(e.Pos(), fmt.Sprintf("%s to %s", value, constant.BinaryOp(value, token.ADD, constant.MakeInt64(delta))), func(n int) []wrap {
			return []wrap{{
				around: e, open: fmt.Sprintf("mutant_.Const[%s](%d, ", t.Name(), n), close: fmt.Sprintf(", %d)", delta), level: 1,
			}}
		})
	}
}

// statements removes calls without a result, and assignments.
func (f *finder) statements(list []ast.Stmt) {
	for _, statement := range list {
		what := ""
		switch s := statement.(type) {
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok && f.info.Types[call].IsVoid() {
				if name, ok := call.Fun.(*ast.Ident); !ok || name.Name != "panic" { // after which a function needs no return
					what = "the call"
				}
			}
		case *ast.IncDecStmt:
			what = "the assignment"
		case *ast.AssignStmt:
			blank := func(e ast.Expr) bool { name, ok := e.(*ast.Ident); return ok && name.Name == "_" }
			if s.Tok != token.DEFINE && !slices.ContainsFunc(s.Lhs, blank) {
				what = "the assignment"
			}
		}
		if what != "" {
			f.add(statement.Pos(), "remove "+what, func(n int) []wrap {
				return []wrap{{around: statement, open: fmt.Sprintf("if !mutant_.On(%d) { ", n), close: " }"}}
			})
		}
	}
}

func (f *finder) add(at token.Pos, change string, wraps func(int) []wrap) {
	position := f.fset.Position(at)
	f.found = append(f.found, &Mutant{
		Package: f.name, File: path.Base(position.Filename), Line: position.Line, Column: position.Column, Change: change, wraps: wraps,
	})
}
