package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"pixgraph/gateway/check"
	"pixgraph/gateway/settings"
	"pixgraph/internal/filewatch"
	"pixgraph/serve"
)

const checkHelp = `
FILE is a file of GraphQL operations and fragments, one of JavaScript or TypeScript with templates of gql or graphql, a
manifest of persisted documents, or - for the standard input. The files are those of one client: fragments may be in
other files than the operations that use them. An operation is checked with the fragments that it uses, as clients send
it, against the schema and the limits of a gateway with the same settings: use the flags, the variables or the file of
the gateway. No request is sent.

Each problem is a line on standard error, as file:line:column: message. The standard output has the cost of each
operation. The exit code is 0 without problems, 1 with one, and 2 if the settings are invalid or no file is named.
"pixgraph help" lists the flags of the settings.
`

// checkDocuments runs `pixgraph check` and returns the exit code: exitFailed if there is a problem.
func checkDocuments(_ context.Context, p Process) int {
	s, names, err := settings.LoadCommand(p.Args, p.Environ)
	if err == nil && len(names) == 0 {
		err = errors.New("check: name the files to check, or - for the standard input")
	}
	if err != nil {
		return fail(p, exitUsage, err)
	}
	gateway, err := serve.NewChecker(s.Limits, serve.Features{Live: s.Live, Federation: s.Federation})
	if err != nil {
		return fail(p, exitUsage, err)
	}
	var files []check.File
	problems := 0
	known := map[string]bool{}
	for _, name := range names {
		if known[name] {
			continue
		}
		known[name] = true
		file, err := readDocuments(p, name)
		if err != nil {
			fmt.Fprintln(p.Stderr, check.Problem{File: file.Name, Message: err.Error()})
			problems++
			continue
		}
		files = append(files, file)
	}
	report := check.Run(gateway, files)
	for _, problem := range report.Problems {
		fmt.Fprintln(p.Stderr, problem)
	}
	problems += len(report.Problems)
	if report.Stopped {
		fmt.Fprintf(p.Stderr, "pixgraph: check: stopped after %d problems\n", check.MaxProblems)
	}
	for _, operation := range report.Operations {
		if _, err := fmt.Fprintln(p.Stdout, operation); err != nil {
			return written(p, err)
		}
	}
	for _, name := range report.Empty[:min(len(report.Empty), maxEmpty)] {
		fmt.Fprintln(p.Stdout, check.Problem{File: name, Message: "no operation and no fragment"})
	}
	if more := len(report.Empty) - maxEmpty; more > 0 {
		fmt.Fprintf(p.Stdout, "no operation and no fragment in %s\n", count(more, "more file"))
	}
	_, err = fmt.Fprintf(p.Stdout, "%s accepted, %s\n", count(len(report.Operations), "operation"), count(problems, "problem"))
	if problems > 0 {
		return written(p, err) | exitFailed
	}
	return written(p, err)
}

// maxEmpty is how many files without an operation are named: in a directory of scripts, most have none.
const maxEmpty = 5

// count returns a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// maxDocuments bounds a file of documents in bytes, as that of a manifest.
const maxDocuments = 32 << 20

// readDocuments reads a file, or the standard input for -.
func readDocuments(p Process, name string) (check.File, error) {
	if name == "-" {
		text, err := readBounded(p.Stdin)
		return check.File{Name: "<stdin>", Text: text}, err
	}
	file, err := os.Open(name)
	if err != nil {
		return check.File{Name: name}, filewatch.WithoutPath(err) // the message has the path already
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return check.File{Name: name}, errors.New("is a directory; name its files")
	}
	text, err := readBounded(file)
	return check.File{Name: name, Text: text}, filewatch.WithoutPath(err)
}

func readBounded(input io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(input, maxDocuments+1))
	if len(text) > maxDocuments {
		err = fmt.Errorf("is larger than %d bytes", maxDocuments)
	}
	return text, err
}

// printSchema prints the schema of a gateway with the same settings, as it serves it at /schema.graphql.
func printSchema(_ context.Context, p Process) int {
	s, err := settings.Load(p.Args, p.Environ)
	if err != nil {
		return fail(p, exitUsage, err)
	}
	gateway, err := serve.NewChecker(s.Limits, serve.Features{Live: s.Live, Federation: s.Federation})
	if err != nil {
		return fail(p, exitUsage, err)
	}
	_, err = io.WriteString(p.Stdout, gateway.Schema())
	return written(p, err)
}
