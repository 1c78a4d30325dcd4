package deploy

import (
	"errors"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const unitFile = "../../deploy/systemd/pixgraph.service"

// directives are the lines of a section of the unit.
func directives(t *testing.T, section string) map[string][]string {
	t.Helper()
	list, current := map[string][]string{}, ""
	for line := range strings.Lines(read(t, unitFile)) {
		line = strings.TrimSpace(line)
		name, value, found := strings.Cut(line, "=")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			current = strings.Trim(line, "[]")
		case !found:
			t.Errorf("the line %q is no directive", line)
		case current == section:
			list[name] = append(list[name], value)
		}
	}
	return list
}

// TestUnit: the unit starts the gateway with settings that only root can read, gives it enough time to end and enough
// open files, and takes every privilege from it.
func TestUnit(t *testing.T) {
	service := directives(t, "Service")
	for name, want := range map[string]string{
		"Type": "exec", "ExecStart": "/usr/local/bin/pixgraph --config=${CREDENTIALS_DIRECTORY}/pixgraph.yaml",
		"LoadCredential": "pixgraph.yaml:/etc/pixgraph/pixgraph.yaml", "DynamicUser": "yes", "NoNewPrivileges": "yes",
		"CapabilityBoundingSet": "", "ProtectSystem": "strict", "ProtectHome": "yes", "MemoryDenyWriteExecute": "yes",
		"SystemCallFilter": "@system-service ~@privileged @resources", "TimeoutStopSec": "30",
	} {
		if got := strings.Join(service[name], " "); got != want || service[name] == nil {
			t.Errorf("%s=%s, want %s", name, got, want)
		}
	}
	if files, err := strconv.Atoi(service["LimitNOFILE"][0]); err != nil || files < 25_576 { // TestStartup of the gateway
		t.Errorf("LimitNOFILE=%d, %v", files, err)
	}
	if service["User"] != nil || service["ReadWritePaths"] != nil || service["StateDirectory"] != nil {
		t.Errorf("%v", service)
	}
}

// TestUnitInSystemd: systemd has no remarks, and rates the unit as well protected.
func TestUnitInSystemd(t *testing.T) {
	unit := filepath.Join(t.TempDir(), "pixgraph.service")
	write(t, unit, strings.Replace(read(t, unitFile), "/usr/local/bin/pixgraph", "/bin/true", 1)) // which exists
	out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", unit).CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		t.Log("not tested, because this machine lacks systemd-analyze")
		return
	}
	if err != nil || strings.Contains(string(out), "pixgraph.service") {
		t.Errorf("%v: %s", err, out)
	}
	out, err = exec.CommandContext(t.Context(), "systemd-analyze", "security", "--offline=true", unit).CombinedOutput()
	rated := regexp.MustCompile(`Overall exposure level for pixgraph.service: ([0-9.]+)`).FindSubmatch(out)
	if err != nil || rated == nil {
		t.Fatalf("%v: %s", err, out)
	}
	const limit = 1.5 // of 10; what remains is the network, and the view of the host's files
	if exposure, err := strconv.ParseFloat(string(rated[1]), 64); err != nil || exposure > limit {
		t.Errorf("exposure %s, %v: %s", rated[1], err, out)
	}
}
