// Command generate writes what docs/upstream-api.yaml determines: the tables of docs/upstream-api.md, the client's
// records and filters, and the operations of the sandbox. `make generate` runs it in the root folder of the repository.
package main

import (
	"fmt"
	"os"

	"pixgraph/upstream/contract"
)

func main() {
	if err := run(); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	document, err := contract.Open("docs/upstream-api.yaml")
	if err != nil {
		return err
	}
	files, err := document.Generate(".")
	if err != nil {
		return err
	}
	for path, text := range files {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
