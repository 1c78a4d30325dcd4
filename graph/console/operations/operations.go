// Package operations has the ready-made operations of the console, for users to read, run and change. It depends neither
// on the page nor on the sandbox; a caller with records passes their ids as Samples.
//
// Each operation is a .graphql file that begins with its title and a one-line description. Read All, then the files.
package operations

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.graphql
var files embed.FS

// Samples are ids of instructive records. An unknown id is empty, and the user fills it in.
type Samples struct {
	OpenTransaction    string // not paid yet
	Transaction        string // has notifications
	UnknownTransaction string // a UUID that no transaction has
	Notification       string // was delivered
	FailedNotification string // was attempted and not delivered; about a transaction
}

// Operation is a document with one operation, and variables for it.
type Operation struct {
	Name        string         `json:"name"`        // of the operation in the document
	Title       string         `json:"title"`       // a few words
	Description string         `json:"description"` // one line
	Text        string         `json:"text"`
	Variables   map[string]any `json:"variables"`
}

// All returns the operations in the order of the page.
func All(s Samples) []Operation {
	return []Operation{
		operation("dashboard", "Dashboard", map[string]any{"rows": 5}),
		operation("waiting", "WaitingForPayment", map[string]any{"transaction": s.OpenTransaction}),
		operation("failedwebhook", "FailedWebhook", map[string]any{"notification": s.FailedNotification}),
		operation("reconciliation", "Reconciliation", map[string]any{
			"first": 10, "after": nil, "filter": map[string]any{"status": []string{"PAID"}},
		}),
		operation("partialfailure", "PartialFailure", map[string]any{
			"transactions": []string{s.Transaction, s.UnknownTransaction}, "notification": s.Notification,
		}),
	}
}

// operation reads a file, whose first paragraph is "# Title: description" or "# Question? Description".
func operation(file, name string, variables map[string]any) Operation {
	text, err := files.ReadFile(file + ".graphql")
	if err != nil {
		panic(fmt.Sprintf("operations: %v", err)) // the file is embedded
	}
	first, _, _ := strings.Cut(string(text), "\n#\n")
	first = strings.ReplaceAll(strings.TrimPrefix(first, "# "), "\n# ", " ")
	end := strings.IndexAny(first, ":?")
	if end < 0 {
		panic(fmt.Sprintf("operations: %s does not begin with its title", file))
	}
	title := strings.TrimSuffix(first[:end+1], ":")
	return Operation{name, title, strings.TrimSpace(first[end+1:]), string(text), variables}
}
