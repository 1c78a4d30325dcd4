package binary

import (
	"bytes"
	"os"
	"testing"
)

// TestSize: nothing in the binary calls methods by names that are known only at run time, as templates do. Otherwise
// the linker would keep all exported methods of all libraries, half as many bytes again.
func TestSize(t *testing.T) {
	text, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte("pixgraph/gateway.Run")) {
		t.Fatal("the binary has no names of functions")
	}
	if bytes.Contains(text, []byte("text/template.(*state).evalField")) {
		t.Error("the binary has the package text/template")
	}
	if megabytes := len(text) / 1e6; megabytes > 40 {
		t.Errorf("%d MB", megabytes)
	}
}
