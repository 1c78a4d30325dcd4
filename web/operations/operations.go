// Package operations has the ready-made operations of the console, for users to read, run and change. It depends
// neither on the page nor on the sandbox.
//
// Each operation is a .graphql file that begins with its title, a one-line description and an explanation. Read All,
// then the files.
package operations

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.graphql
var files embed.FS

// Gateway is what a gateway can do, as far as operations depend on it.
type Gateway struct {
	PageNumber bool // it can request a page by its number
	PageSize   bool // it can request a page of a given size
}

// Operation is a document with one operation, and the values of its variables.
type Operation struct {
	Name        string   `json:"name"`        // of the operation in the document
	Title       string   `json:"title"`       // a few words
	Description string   `json:"description"` // one line
	Explanation []string `json:"explanation"` // paragraphs
	Text        string   `json:"text"`
	// Variables have fixed values.
	Variables map[string]any `json:"variables"`
	// IDs are the variables with the id of a record. The page finds one of the caller's own, or asks for it.
	IDs map[string]Record `json:"ids"`
}

// Record is the record that a variable has the id of: a key of Found in web/pages/src/operations/newest.ts.
type Record string

// The records.
const (
	Transaction     Record = "transaction"
	OpenTransaction Record = "openTransaction" // not paid yet
	Notification    Record = "notification"    // of Transaction if possible, and not delivered if possible
)

// unknownTransaction is a UUID that no transaction has.
const unknownTransaction = "00000000-0000-4000-8000-000000000000"

// All returns the operations that work on the gateway, in the order of the page.
func All(gateway Gateway) []Operation {
	// rows limits a page. Null is the size that the API chooses.
	rows := func(n int) any {
		if !gateway.PageSize {
			return nil
		}
		return n
	}
	all := []Operation{
		operation("dashboard", "Dashboard", map[string]any{"rows": rows(5)}, nil),
		operation("waiting", "WaitingForPayment", nil, map[string]Record{"transaction": OpenTransaction}),
		operation("failedwebhook", "FailedWebhook", nil, map[string]Record{"notification": Notification}),
		operation("partialfailure", "PartialFailure", map[string]any{"unknown": unknownTransaction, "rows": rows(2)},
			map[string]Record{"transaction": Transaction, "notification": Notification}),
	}
	if gateway.PageNumber {
		all = append(all, operation("reconciliation", "Reconciliation", map[string]any{
			"first": rows(10), "after": nil, "filter": map[string]any{"status": []string{"PAID"}}, "sums": true,
		}, nil))
	}
	return all
}

// operation reads a file. It begins with a comment, whose first paragraph is "Title: description" or "Question?
// Description"; the others are the explanation.
func operation(file, name string, variables map[string]any, ids map[string]Record) Operation {
	content, err := files.ReadFile(file + ".graphql")
	if err != nil {
		panic(fmt.Sprintf("operations: %v", err)) // the file is embedded
	}
	var comment []string
	text := string(content)
	for {
		line, rest, _ := strings.Cut(text, "\n")
		words, ok := strings.CutPrefix(line, "#")
		if !ok {
			break
		}
		comment = append(comment, strings.TrimPrefix(words, " "))
		text = rest
	}
	paragraphs := strings.Split(strings.Join(comment, "\n"), "\n\n")
	for n, paragraph := range paragraphs {
		paragraphs[n] = strings.ReplaceAll(paragraph, "\n", " ")
	}
	end := strings.IndexAny(paragraphs[0], ":?")
	if end < 0 {
		panic(fmt.Sprintf("operations: %s does not begin with its title", file))
	}
	return Operation{
		Name: name, Title: strings.TrimSuffix(paragraphs[0][:end+1], ":"), Description: strings.TrimSpace(paragraphs[0][end+1:]),
		Explanation: paragraphs[1:], Text: text, Variables: variables, IDs: ids,
	}
}
