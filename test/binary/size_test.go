package binary

import (
	"bytes"
	"os"
	"testing"

	"pixgraph/internal/process"
)

// TestSize: nothing in the binary calls methods by names that are known only at run time, as templates do. Otherwise
// the linker would keep all exported methods of all libraries, half as many bytes again.
func TestSize(t *testing.T) {
	path, err := process.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(binary, []byte("pixgraph/gateway.Run")) {
		t.Fatal("the binary has no names of functions")
	}
	if bytes.Contains(binary, []byte("text/template.(*state).evalField")) {
		t.Error("the binary has the package text/template")
	}
	if megabytes := len(binary) / 1e6; megabytes > 40 {
		t.Errorf("%d MB", megabytes)
	}
}
