package doctor_test

import (
	"os"
	"path/filepath"
	"testing"

	"pixgraph/gateway/doctor"
)

// TestFederation checks subgraphs, also with settings that keep routers away.
func TestFederation(t *testing.T) {
	manifest := filepath.Join(t.TempDir(), "manifest.json")
	if err := os.WriteFile(manifest, []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []testCase{
		{name: "no problem", flags: []string{"--federation=on"}, passes: true, rows: []row{{"federation", doctor.OK, []string{"routers"}}}},
		{name: "settings that keep routers away", passes: true,
			flags: []string{"--federation=on", "--persisted-only=on", "--persisted-manifest=" + manifest, "--introspection=off"}, rows: []row{
				{"federation", doctor.Warn, []string{"persisted_only=on"}},
				{"federation", doctor.Warn, []string{"introspection", "pixgraph schema --federation=on"}},
			}},
	} {
		t.Run(tt.name, tt.examine)
	}
}
