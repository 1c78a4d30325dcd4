package listener

import "testing"

// TestNextPort: the suggested address has the next port, and a port that the system chooses after the last one.
func TestNextPort(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:8080": "127.0.0.1:8081", ":8080": ":8081", "[::1]:9090": "[::1]:9091", "localhost:65535": "localhost:0",
	} {
		if next := nextPort(address); next != want {
			t.Errorf("after %s comes %s, want %s", address, next, want)
		}
	}
}
