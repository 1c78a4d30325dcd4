package contract

import (
	"os"
	"path/filepath"
)

// Generate returns the generated files below the root folder of the repository, by their paths. Of a file that is written by
// hand in part, it keeps that part.
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
	operations, err := d.Operations()
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		prose: []byte(tables), filepath.Join(root, "upstream", "sandbox", "operations.generated.go"): operations,
	}, nil
}
