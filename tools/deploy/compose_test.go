package deploy

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
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

// project loads compose files as `docker compose` does, with their schema.
func project(t *testing.T, names ...string) *types.Project {
	t.Helper()
	dir, err := filepath.Abs(composeDir)
	must(t, err)
	var files []types.ConfigFile
	for _, name := range names {
		files = append(files, types.ConfigFile{Filename: filepath.Join(dir, name)})
	}
	p, err := loader.LoadWithContext(t.Context(), types.ConfigDetails{WorkingDir: dir, ConfigFiles: files, Environment: types.Mapping{}})
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

// TestCompose: Docker Compose accepts the files. Images are pinned, every file that is mounted exists and cannot be
// written, and only this machine reaches the ports.
func TestCompose(t *testing.T) {
	for files, services := range map[string]string{
		"compose.yaml":            "gateway grafana prometheus",
		"compose.yaml fleet.yaml": "gateway grafana haproxy prometheus valkey",
	} {
		t.Run(files, func(t *testing.T) {
			p := project(t, strings.Fields(files)...)
			if names := p.ServiceNames(); strings.Join(names, " ") != services {
				t.Fatalf("services %v", names)
			}
			checkServices(t, p)
		})
	}
}

func checkServices(t *testing.T, p *types.Project) {
	t.Helper()
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
	if !confined(gateway) || gateway.User != "65532:65532" || gateway.MemLimit != 1<<30 {
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

// confined reports whether a container can neither write files nor gain privileges.
func confined(s types.ServiceConfig) bool {
	return s.User != "" && s.ReadOnly && !s.Privileged && slices.Equal(s.CapDrop, []string{"ALL"}) &&
		slices.Equal(s.SecurityOpt, []string{"no-new-privileges:true"})
}

// TestComposeFleet: three gateways use Valkey with a password that only they and Valkey have, and HAProxy sends
// requests to them, with the configuration of the repository.
func TestComposeFleet(t *testing.T) {
	p := project(t, "compose.yaml", "fleet.yaml")
	gateway, valkey, haproxy := p.Services["gateway"], p.Services["valkey"], p.Services["haproxy"]
	if !confined(valkey) || !confined(haproxy) || *gateway.Scale != 3 || len(gateway.Ports)+len(valkey.Ports) != 0 {
		t.Errorf("gateway %+v, Valkey %+v, HAProxy %+v", gateway, valkey, haproxy)
	}
	password := *gateway.Environment["PIXGRAPH_REDIS_PASSWORD_FILE"]
	for name, s := range p.Services {
		hasPassword := len(s.Secrets) == 1 && "/run/secrets/"+s.Secrets[0].Source == password
		if hasPassword != (name == "gateway" || name == "valkey") {
			t.Errorf("%s has the secrets %v", name, s.Secrets)
		}
	}
	if valkey.User != gateway.User || !strings.Contains(read(t, "../../.gitignore"), "/deploy/compose/redis_password\n") {
		t.Error("another user reads the password, or git keeps it")
	}
	if address := haproxy.Networks["default"].Ipv4Address; *gateway.Environment["PIXGRAPH_RATE_TRUSTED_PROXIES"] != address+"/32" {
		t.Errorf("HAProxy has the address %s, which the gateways do not trust", address)
	}
	server, err := url.Parse(*gateway.Environment["PIXGRAPH_REDIS_URL"])
	if err != nil || p.Services[server.Hostname()].Image != valkey.Image {
		t.Errorf("the gateways use %s, %v", server, err)
	}
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "password")
	write(t, file, "0123abc\n")
	config := shell(t, valkey.Command, "exec valkey-server /tmp/valkey.conf", "exec cat "+dir+"/valkey.conf #", password, file, "/tmp", dir)
	const arguments = "--save '' --appendonly no --maxmemory 384mb --maxmemory-policy allkeys-lru"
	if config != "requirepass 0123abc\n" || !strings.HasSuffix(valkey.Command[2], arguments) {
		t.Errorf("Valkey has the configuration %q and the command %q", config, valkey.Command)
	}
	const source = "/etc/haproxy/haproxy.cfg"
	config = shell(t, haproxy.Command, "exec haproxy -W -db -f", "exec cat", source, mounted(t, haproxy, source), "/tmp", dir)
	for _, line := range []string{
		fmt.Sprint("    bind :", haproxy.Ports[0].Target), "    default-server check port 9090 inter 1s fall 2 rise 1",
		"    server-template gateway- 10 gateway:8080 resolvers default init-addr none",
	} {
		if !strings.Contains(config, "\n"+line+"\n") {
			t.Errorf("HAProxy's configuration lacks %q", line)
		}
	}
	if strings.Contains(config, "192.0.2.") {
		t.Errorf("HAProxy has an address of the documentation:\n%s", config)
	}
}

// shell returns the output of a command of a container, in which some texts are replaced, as by strings.NewReplacer.
func shell(t *testing.T, command []string, replaced ...string) string {
	t.Helper()
	if len(command) != 3 || command[0] != "sh" || command[1] != "-c" {
		t.Fatalf("the command is %q", command)
	}
	out, err := exec.CommandContext(t.Context(), "sh", "-c", strings.NewReplacer(replaced...).Replace(command[2])).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// TestComposeMonitoring: Prometheus reads the admin address of the gateway and the alerts, and Grafana the dashboard
// and Prometheus.
func TestComposeMonitoring(t *testing.T) {
	p := project(t, "compose.yaml")
	var settings map[string]string
	var prometheus struct {
		Global        map[string]string
		RuleFiles     []string `json:"rule_files"`
		ScrapeConfigs []struct {
			JobName string `json:"job_name"`
			Names   []struct {
				Names           []string
				Type            string
				Port            int
				RefreshInterval string `json:"refresh_interval"`
			} `json:"dns_sd_configs"`
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
	targets := prometheus.ScrapeConfigs[0].Names[0]
	if targets.Type != "A" || fmt.Sprintf("%s:%d", targets.Names, targets.Port) != "[gateway]"+settings["admin_listen"] {
		t.Errorf("Prometheus reads %+v", targets)
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
