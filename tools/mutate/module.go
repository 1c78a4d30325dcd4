package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// module is the module under test, with the syntax of the packages that are mutated.
type module struct {
	root, name string
	fset       *token.FileSet
	files      map[string]*ast.File
	exports    map[string]string // files with the types of packages, by path
}

// listed is a package as `go list` prints it.
type listed struct {
	ImportPath, Dir, Export            string
	DepOnly                            bool
	GoFiles, TestGoFiles, XTestGoFiles []string
	Module                             *struct{ Path string }
}

// load finds the module of a folder.
func load(folder string) (*module, error) {
	m := &module{root: folder, fset: token.NewFileSet(), files: map[string]*ast.File{}, exports: map[string]string{}}
	root, err := m.command("list", "-m", "-f", "{{.Dir}}")
	m.root = strings.TrimSpace(string(root))
	return m, err
}

// command runs the go command in the module.
func (m *module) command(arguments ...string) ([]byte, error) {
	cmd := exec.CommandContext(context.Background(), "go", arguments...)
	cmd.Dir = m.root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("go %s: %w: %s", strings.Join(arguments, " "), err, stderr.Bytes())
	}
	return out, err
}

// list lists packages of the module, and notes where the types of all packages are that they depend on.
func (m *module) list(patterns ...string) ([]listed, error) {
	out, err := m.command(append([]string{
		"list", "-deps", "-export", "-json=ImportPath,Dir,Export,DepOnly,GoFiles,TestGoFiles,XTestGoFiles,Module",
	}, patterns...)...)
	if err != nil {
		return nil, err
	}
	var packages []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		m.exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			m.name = p.Module.Path
			p.ImportPath = strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, m.name), "/")
			packages = append(packages, p)
		}
	}
}

// choose returns up to limit mutants of a package: with the same seed, a smaller limit gives a part of those of a
// larger one. Generated files have none.
func (m *module) choose(p listed, seed uint64, limit int) ([]*Mutant, error) {
	var files []*ast.File
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		file, err := parser.ParseFile(m.fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files, m.files[path] = append(files, file), file
	}
	f := &finder{fset: m.fset, name: p.ImportPath, info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}}
	config := types.Config{Importer: importer.ForCompiler(m.fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(m.exports[path])
	})}
	if _, err := config.Check(p.ImportPath, m.fset, files, f.info); err != nil {
		return nil, err
	}
	for _, file := range files {
		if !ast.IsGenerated(file) {
			f.file(file)
		}
	}
	hash := fnv.New64a()
	_, _ = io.WriteString(hash, p.ImportPath)
	rand.New(rand.NewPCG(seed, hash.Sum64())).Shuffle(len(f.found), func(i, j int) { f.found[i], f.found[j] = f.found[j], f.found[i] })
	return f.found[:min(limit, len(f.found))], nil
}

// test is a function that `go test` runs.
type test struct {
	binary       *binary
	pkg, name    string
	file         string
	line, lines  int
	cpu, seconds float64 // that it takes alone
	fails        bool    // without any mutant
}

func (t *test) String() string { return t.pkg + "." + t.name }

// tests finds the tests of a package in its files, which a binary has.
func (m *module) tests(p listed, b *binary) ([]*test, error) {
	var tests []*test
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		file, err := parser.ParseFile(m.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || function.Recv != nil || !isTest.MatchString(function.Name.Name) || function.Name.Name == "TestMain" {
				continue
			}
			from, to := m.fset.Position(function.Pos()).Line, m.fset.Position(function.End()).Line
			tests = append(tests, &test{
				binary: b, pkg: p.ImportPath, name: function.Name.Name, file: name, line: from, lines: to - from + 1,
			})
		}
	}
	return tests, nil
}

// isTest matches the names of tests and of fuzz targets, which run with their stored input.
var isTest = regexp.MustCompile(`^(Test|Fuzz)(\P{Ll}|$)`)
