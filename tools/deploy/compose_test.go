package deploy

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"sigs.k8s.io/yaml"
)

const composeDir = "../../deploy/compose"

// project loads the compose file as `docker compose` does, with its schema.
func project(t *testing.T) *types.Project {
	t.Helper()
	dir, err := filepath.Abs(composeDir)
	must(t, err)
	file := filepath.Join(dir, "compose.yaml")
	p, err := loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir: dir, ConfigFiles: []types.ConfigFile{{Filename: file}}, Environment: types.Mapping{},
	})
	must(t, err)
	return p
}

// mounted returns the file of the repository that a container has at a path.
func mounted(t *testing.T, s types.ServiceConfig, path string) string {
	t.Helper()
	for _, volume := range s.Volumes {
		if volume.Target == path && volume.Type == types.VolumeTypeBind {
			return volume.Source
		}
	}
	t.Fatalf("%s has nothing at %s", s.Name, path)
	return ""
}

// pinned is the name of an image with a version.
var pinned = regexp.MustCompile(`^[a-z/]+:v?\d+\.\d+\.\d+$`)

// TestCompose: Docker Compose accepts the file. Images are pinned, every file that is mounted exists and cannot be
// written, and only this machine reaches the ports.
func TestCompose(t *testing.T) {
	p := project(t)
	if names := p.ServiceNames(); !slices.Equal(names, []string{"gateway", "grafana", "prometheus"}) {
		t.Fatalf("services %v", names)
	}
	for name, s := range p.Services {
		if !pinned.MatchString(s.Image) {
			t.Errorf("%s: the image %s is not pinned", name, s.Image)
		}
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s: port %s is open to %q", name, port.Published, port.HostIP)
			}
		}
		for _, volume := range s.Volumes {
			if volume.Type != types.VolumeTypeBind {
				continue
			}
			if info, err := os.Stat(volume.Source); err != nil || info.IsDir() || !volume.ReadOnly {
				t.Errorf("%s: volume %+v: %v", name, volume, err)
			}
		}
	}
	gateway := p.Services["gateway"]
	if gateway.User != "65532:65532" || !gateway.ReadOnly || !slices.Equal(gateway.CapDrop, []string{"ALL"}) || gateway.Privileged ||
		!slices.Equal(gateway.SecurityOpt, []string{"no-new-privileges:true"}) || gateway.MemLimit != 1<<30 {
		t.Errorf("gateway %+v", gateway)
	}
	if grace := time.Duration(*gateway.StopGracePeriod); grace < 30*time.Second {
		t.Errorf("the gateway has %s to end", grace)
	}
	if test := []string(gateway.HealthCheck.Test); !slices.Equal(test, append([]string{"CMD", "/pixgraph", "probe"}, gateway.Command...)) {
		t.Errorf("the health check is %q, of a gateway with %q", test, gateway.Command)
	}
	if files := gateway.Ulimits["nofile"].Single; files < 25_576 { // TestStartup of the gateway
		t.Errorf("the gateway may open %d files", files)
	}
}

// TestComposeMonitoring: Prometheus reads the admin address of the gateway and the alerts, and Grafana the dashboard
// and Prometheus.
func TestComposeMonitoring(t *testing.T) {
	p := project(t)
	var settings map[string]string
	var prometheus struct {
		Global        map[string]string
		RuleFiles     []string `json:"rule_files"`
		ScrapeConfigs []struct {
			JobName       string                `json:"job_name"`
			StaticConfigs []map[string][]string `json:"static_configs"`
		} `json:"scrape_configs"`
	}
	var sources struct {
		APIVersion  int
		Datasources []struct {
			Name, Type, Access, URL string
			IsDefault               bool
			JSONData                map[string]any
		}
	}
	var dashboards struct {
		APIVersion int
		Providers  []struct {
			Name, Type string
			Options    struct{ Path string }
		}
	}
	grafana, gateway := p.Services["grafana"], p.Services["gateway"]
	for path, of := range map[string]struct {
		service types.ServiceConfig
		into    any
	}{
		"/etc/pixgraph/pixgraph.yaml":                        {gateway, &settings},
		"/etc/prometheus/prometheus.yml":                     {p.Services["prometheus"], &prometheus},
		"/etc/grafana/provisioning/datasources/pixgraph.yml": {grafana, &sources},
		"/etc/grafana/provisioning/dashboards/pixgraph.yml":  {grafana, &dashboards},
	} {
		if err := yaml.UnmarshalStrict([]byte(read(t, mounted(t, of.service, path))), of.into); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	if !slices.Equal([]string(gateway.Command), []string{"--config=/etc/pixgraph/pixgraph.yaml"}) {
		t.Errorf("command %v", gateway.Command)
	}
	if port := fmt.Sprint(":", gateway.Ports[0].Target); settings["listen"] != port {
		t.Errorf("the gateway listens at %s, and %s is published", settings["listen"], port)
	}
	if targets := prometheus.ScrapeConfigs[0].StaticConfigs[0]["targets"]; !slices.Equal(targets, []string{"gateway" + settings["admin_listen"]}) {
		t.Errorf("Prometheus reads %v", targets)
	}
	if rules := mounted(t, p.Services["prometheus"], prometheus.RuleFiles[0]); !same(t, rules, alertsFile) {
		t.Errorf("the rules are %s", rules)
	}
	source, err := url.Parse(sources.Datasources[0].URL)
	if err != nil || p.Services[source.Hostname()].Ports[0].Target != 9090 || source.Port() != "9090" {
		t.Errorf("Grafana reads %s, %v", source, err)
	}
	path := dashboards.Providers[0].Options.Path
	if file := mounted(t, grafana, path+"/pixgraph.json"); !strings.HasPrefix(path, "/") || !same(t, file, dashboardFile) {
		t.Errorf("the dashboard is %s", file)
	}
}

// same reports whether two paths are of the same file.
func same(t *testing.T, a, b string) bool {
	t.Helper()
	first, noFirst := os.Stat(a)
	second, noSecond := os.Stat(b)
	if noFirst != nil || noSecond != nil {
		t.Fatal(noFirst, noSecond)
	}
	return os.SameFile(first, second)
}
