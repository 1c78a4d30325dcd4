package rules

import (
	"errors"
	"go/build"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// layers lists the packages of this module from top to bottom, each with the packages that it may import, which stand
// below it. So the imports of the folders of the root go one way too. Only the process, tests and tools import the
// sandbox.
var layers = []struct{ name, imports string }{
	{"test/replica", "gateway internal/memnet sandbox test/gatewaytest"},
	{"test/gatewaytest", "auth internal/egress internal/memnet sandbox serve upstream upstream/client"},
	{"test/alerts", ""},
	{"test/binary", ""},
	{"test/generated", ""},
	{"test/hostile", ""},
	{"test/redis", ""},
	{"test/rules", ""},
	{"", "gateway"},
	{"gateway", "auth fleet gateway/check gateway/doctor gateway/listener gateway/settings gateway/telemetry " +
		"graph/guard/limits internal/certs internal/egress internal/filewatch internal/httpserver internal/memory " +
		"internal/quota sandbox serve upstream upstream/client upstream/http1 web web/operations"},
	{"gateway/check", "graph/guard/limits graph/guard/persisted graph/syntax request serve"},
	{"gateway/doctor", "auth fleet gateway/settings graph/guard/persisted internal/certs internal/egress " +
		"internal/netcause upstream upstream/client upstream/http1 upstream/live"},
	{"gateway/listener", "gateway/settings"},
	{"gateway/settings", "auth fleet graph/guard/limits graph/guard/persisted internal/certs internal/egress " +
		"internal/filewatch internal/httpserver serve/cors upstream upstream/client upstream/live"},
	{"gateway/telemetry", "auth fleet graph internal/distinct internal/lru request serve upstream upstream/client"},
	{"web", "serve/accept web/operations"},
	{"web/operations", ""},
	{"serve", "auth fleet graph graph/apierror graph/execute/calls graph/execute/deferral graph/execute/documents " +
		"graph/execute/download graph/execute/paging graph/execute/projection graph/execute/summary " +
		"graph/guard/limits graph/guard/persisted graph/guard/variables graph/trace internal/delay " +
		"internal/distinct internal/httpserver internal/lru internal/quota request serve/cors serve/envelope " +
		"serve/incremental serve/mcp serve/message serve/run serve/stream serve/transport serve/websocket upstream upstream/client upstream/live upstream/pix " +
		"upstream/wire"},
	{"serve/mcp", "graph/apierror graph/syntax request serve/mcp/visible serve/message serve/run upstream/pix"},
	{"serve/mcp/visible", "upstream/pix"},
	{"serve/transport", "graph/apierror graph/execute/documents graph/execute/download request serve/accept " +
		"serve/envelope serve/incremental serve/message serve/run serve/stream upstream/live upstream/wire"},
	{"serve/websocket", "graph/apierror internal/delay internal/quota request serve/envelope serve/message serve/run " +
		"serve/stream upstream/live"},
	{"serve/run/runtest", "graph/apierror internal/quota request serve/run serve/stream upstream/live"},
	{"serve/run", "graph/apierror internal/quota request serve/stream upstream/live"},
	{"serve/incremental", "graph/execute/deferral serve/accept serve/envelope serve/stream"},
	{"serve/message", "graph/apierror internal/buffer internal/quota request serve/accept"},
	{"serve/stream", "graph/apierror serve/accept serve/envelope upstream/live"},
	{"serve/envelope", "graph/apierror internal/buffer serve/accept"},
	{"serve/accept", ""},
	{"serve/cors", ""},
	{"graph/generate", "graph/execute/calls"},
	{"graph", "auth graph/apierror graph/execute/calls graph/execute/deferral graph/execute/documents " +
		"graph/execute/paging graph/execute/projection graph/execute/summary graph/generated graph/guard/limits " +
		"graph/model graph/scalar graph/syntax graph/trace internal/lru internal/quota request upstream " +
		"upstream/client upstream/live upstream/pix"},
	{"graph/generated", "graph/execute/paging graph/execute/projection graph/execute/summary graph/model " +
		"graph/scalar upstream"},
	{"graph/model", "graph/execute/projection upstream"},
	{"graph/scalar", "graph/apierror upstream"},
	{"graph/trace", "upstream upstream/client"},
	{"graph/execute/download", "graph/apierror graph/execute/calls graph/execute/documents graph/execute/paging " +
		"graph/execute/projection upstream upstream/wire"},
	{"graph/execute/summary", "graph/apierror graph/execute/paging graph/execute/projection internal/decimal " +
		"internal/quota upstream upstream/client upstream/wire"},
	{"graph/execute/paging", "graph/apierror graph/execute/projection upstream upstream/client"},
	{"graph/execute/projection", "graph/execute/calls graph/execute/deferral graph/execute/documents " +
		"internal/buffer internal/quota upstream upstream/wire"},
	{"graph/guard/variables", "graph/execute/documents"},
	{"graph/execute/deferral", "graph/execute/calls graph/execute/documents graph/syntax internal/quota"},
	{"graph/execute/documents", "graph/syntax internal/lru internal/quota"},
	{"graph/guard/limits", "fleet graph/apierror graph/execute/calls graph/syntax internal/lru request"},
	{"graph/guard/persisted", "graph/apierror internal/filewatch internal/lru request"},
	{"graph/apierror", ""},
	{"graph/execute/calls", ""},
	{"graph/syntax", ""},
	{"request", "auth internal/quota"},
	{"auth", "internal/distinct internal/egress internal/lru internal/netcause"},
	{"sandbox", "sandbox/issuer sandbox/ledger upstream/pix"},
	{"sandbox/issuer", ""},
	{"sandbox/ledger", "internal/lru upstream/pix"},
	{"upstream/contract/generate", "upstream/contract"},
	{"upstream/contract", ""},
	{"upstream/live", "internal/delay internal/quota upstream upstream/client upstream/wire"},
	{"upstream/client", "internal/buffer internal/delay internal/distinct internal/egress internal/lru " +
		"internal/netcause internal/quota upstream upstream/http1 upstream/nethttp upstream/pix upstream/wire"},
	{"upstream/nethttp", "internal/netcause upstream/http1"},
	{"upstream/http1", "internal/buffer internal/delay internal/quota"},
	{"upstream", "upstream/pix upstream/wire"},
	{"upstream/wire", "internal/buffer"},
	{"upstream/pix", ""},
	{"fleet", "internal/delay internal/filewatch internal/netcause internal/quota"},
	{"internal/buffer", ""},
	{"internal/decimal", ""},
	{"internal/distinct", ""},
	{"internal/egress", "internal/certs internal/filewatch internal/netcause"},
	{"internal/httpserver", "internal/certs internal/quota"},
	{"internal/certs", "internal/filewatch"},
	{"internal/filewatch", ""},
	{"internal/leaktest", ""},
	{"internal/lru", ""},
	{"internal/egress/egresstest", "internal/memnet"},
	{"internal/memnet", ""},
	{"internal/memory", ""},
	{"internal/netcause", ""},
	{"internal/process", ""},
	{"internal/quota", "internal/delay"},
	{"internal/redistest", "internal/delay"},
	{"internal/delay", ""},
	{"internal/certs/certstest", ""},
}

// listed is a package of this module.
type listed struct {
	*build.Package
	ImportPath string // in this module
}

func packages(t *testing.T) []listed {
	t.Helper()
	list, err := listOnce()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// listOnce lists the packages as the go command does: folders with Go files, but those of other modules and testdata.
var listOnce = sync.OnceValues(func() (list []listed, err error) {
	atRoot()
	err = filepath.WalkDir(".", func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		_, notModule := os.Stat(filepath.Join(dir, "go.mod"))
		if dir != "." && notModule == nil || entry.Name() == "testdata" || isWritten(dir) {
			return fs.SkipDir
		}
		p, err := build.ImportDir(dir, 0)
		if _, noGo := errors.AsType[*build.NoGoError](err); noGo {
			return nil
		}
		list = append(list, listed{p, path.Join("pixgraph", filepath.ToSlash(dir))})
		return err
	})
	return list, err
})

func TestImportsGoOneWay(t *testing.T) {
	below := map[string][]string{}
	var folders []string // of the root, from the bottom to the top
	for _, layer := range slices.Backward(layers) {
		imports := strings.Fields(layer.imports)
		for _, name := range imports {
			if _, isBelow := below[name]; !isBelow {
				t.Errorf("%s may import %s, which does not stand below it", layer.name, name)
			}
		}
		below[layer.name] = imports
		folder, _, _ := strings.Cut(layer.name, "/")
		if i := slices.Index(folders, folder); i < 0 {
			folders = append(folders, folder)
		} else if i < len(folders)-1 {
			t.Errorf("%s does not stand among the packages of %s", layer.name, folder)
		}
	}
	for _, p := range packages(t) {
		name := relative(p.ImportPath)
		allowed, isListed := below[name]
		if !isListed {
			t.Errorf("%s is not in layers: add it with the packages that it may import", p.ImportPath)
		}
		for _, path := range p.Imports {
			if strings.HasPrefix(path, "pixgraph") && !slices.Contains(allowed, relative(path)) {
				t.Errorf("%s imports %s", p.ImportPath, path)
			}
		}
	}
}

// relative is the path of a package in the repository; "" for the binary.
func relative(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, "pixgraph"), "/")
}
