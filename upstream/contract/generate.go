package contract

import (
	"os"
	"path/filepath"
)

// Generate returns the generated files below the root folder of the repository, by their paths. Of a file that is
// written by hand in part, it keeps that part.
func (d *Document) Generate(root string) (map[string][]byte, error) {
	prose := filepath.Join(root, "docs", "upstream-api.md")
	text, err := os.ReadFile(prose)
	if err != nil {
		return nil, err
	}
	tables, err := d.Tables(string(text))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{prose: []byte(tables)}
	source, err := d.source()
	if err != nil {
		return nil, err
	}
	for path, template := range map[string]string{
		"upstream/contract.generated.go": "upstream.gotpl", "upstream/client/contract.generated.go": "client.gotpl",
		"graph/execute/paging/contract.generated.go": "paging.gotpl", "sandbox/contract.generated.go": "sandbox.gotpl",
		"sandbox/ledger/contract.generated.go": "ledger.gotpl",
	} {
		if files[filepath.Join(root, filepath.FromSlash(path))], err = source.render(template); err != nil {
			return nil, err
		}
	}
	return files, d.complete(root, files)
}
