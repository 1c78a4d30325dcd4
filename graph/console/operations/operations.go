// Package operations has the ready-made operations that the console shows: files to read, to run and to change. It knows
// nothing of the page nor of the sandbox; who has records gives it their ids as Samples.
//
// Each operation is a .graphql file that begins with its title and a sentence about it. Read All, then the files.
package operations

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.graphql
var files embed.FS

// Samples are ids of records that show something. Those that nobody knows stay empty, for the reader to fill in.
type Samples struct {
	OpenTransaction    string // that awaits its payment
	Transaction        string // that has notifications
	UnknownTransaction string // a UUID that is no transaction's
	Notification       string // that was delivered
	FailedNotification string // that was not, though it was tried; about a transaction
}

// Operation is a document with one operation, and variables to run it with.
type Operation struct {
	Name        string         `json:"name"`        // the operation's own
	Title       string         `json:"title"`       // a few words
	Description string         `json:"description"` // one line
	Text        string         `json:"text"`
	Variables   map[string]any `json:"variables"`
}

// All are the operations in the order to show them.
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
		panic(fmt.Sprintf("operations: %v", err)) // it is compiled in
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
