package deploy

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// The files that the chart has as symbolic links.
const (
	alertsFile    = "../../deploy/prometheus/alerts.yml"
	dashboardFile = "../../deploy/grafana/dashboard.json"
)

// TestGoldens: the chart renders objects that Kubernetes accepts, and whose text is that of the golden file.
func TestGoldens(t *testing.T) {
	for _, name := range []string{"minimal", "full"} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for _, o := range mustRender(t, valuesIn(t, name)) {
				b.WriteString("# " + o.template + "\n" + o.text + "\n---\n")
			}
			got := b.String()
			for _, file := range []string{alertsFile, dashboardFile} { // which have tests of their own
				for _, indent := range []string{"  ", "    "} {
					text := strings.ReplaceAll(strings.TrimRight(read(t, file), "\n"), "\n", "\n"+indent)
					got = strings.ReplaceAll(got, text, "# "+file)
				}
			}
			golden := filepath.Join("testdata", name+".yaml")
			if *update {
				write(t, golden, got)
			}
			if want := read(t, golden); got != want {
				t.Errorf("go test -update writes another %s:\n%s", golden, got)
			}
		})
	}
}

// TestLint: Helm's linter has no remarks.
func TestLint(t *testing.T) {
	result := lint.RunAll(chartDir, valuesIn(t, "full"), "payments")
	for _, message := range result.Messages {
		if !strings.Contains(message.Err.Error(), "icon is recommended") {
			t.Error(message)
		}
	}
	if len(result.Messages) == 0 {
		t.Error("the linter did nothing")
	}
}

// TestPackage: a packaged chart has the alerts and the dashboard of the repository, and renders the same objects.
func TestPackage(t *testing.T) {
	archive, err := chartutil.Save(load(t), t.TempDir())
	must(t, err)
	packaged, err := loader.Load(archive)
	must(t, err)
	files := map[string]string{}
	for _, file := range packaged.Files {
		files[file.Name] = string(file.Data)
	}
	if files["files/alerts.yml"] != read(t, alertsFile) || files["files/dashboard.json"] != read(t, dashboardFile) {
		t.Error("the files of the package differ from those of the repository")
	}
	fromPackage, noPackage := render(packaged, valuesIn(t, "full"))
	fromDirectory, noDirectory := render(load(t), valuesIn(t, "full"))
	if noPackage != nil || noDirectory != nil || !reflect.DeepEqual(fromPackage, fromDirectory) {
		t.Errorf("the package renders other objects: %v, %v", noPackage, noDirectory)
	}
}

// TestMonitoring: the Prometheus operator gets the alerts of the repository, Grafana its dashboard, and the
// ServiceMonitor selects the Service with the port of the metrics.
func TestMonitoring(t *testing.T) {
	values := valuesIn(t, "full")
	values["prometheusRule"].(map[string]any)["docs"] = "https://docs.example.com/pixgraph/"
	list := mustRender(t, values)
	var want monitoringv1.PrometheusRuleSpec
	must(t, yaml.UnmarshalStrict([]byte(read(t, alertsFile)), &want))
	for _, rule := range want.Groups[0].Rules {
		rule.Annotations["runbook_url"] = "https://docs.example.com/pixgraph/" + rule.Annotations["runbook_url"]
	}
	rule := one[*monitoringv1.PrometheusRule](t, list, "")
	if len(want.Groups) == 0 || !reflect.DeepEqual(rule.Spec, want) {
		t.Errorf("the rules are %+v", rule.Spec)
	}
	if got := one[*corev1.ConfigMap](t, list, "-dashboard").Data["pixgraph.json"]; strings.TrimSpace(got) != strings.TrimSpace(read(t, dashboardFile)) {
		t.Errorf("the dashboard is %.200q", got)
	}
	monitor, service := one[*monitoringv1.ServiceMonitor](t, list, ""), one[*corev1.Service](t, list, "-admin")
	if !selects(monitor.Spec.Selector.MatchLabels, service.Labels) || monitor.Spec.Endpoints[0].Port != service.Spec.Ports[0].Name {
		t.Errorf("the ServiceMonitor %+v does not select %+v", monitor.Spec, service)
	}
	if public := one[*corev1.Service](t, list, "pixgraph"); selects(monitor.Spec.Selector.MatchLabels, public.Labels) {
		t.Error("the ServiceMonitor selects the public Service too")
	}
	pod := one[*appsv1.Deployment](t, list, "").Spec.Template
	for _, service := range []*corev1.Service{service, one[*corev1.Service](t, list, "pixgraph")} {
		if !selects(service.Spec.Selector, pod.Labels) || !hasPort(pod.Spec.Containers[0], service.Spec.Ports[0].TargetPort.StrVal) {
			t.Errorf("the Service %s does not lead to the pods", service.Name)
		}
		if selects(service.Spec.Selector, one[*corev1.Pod](t, list, "-doctor").Labels) {
			t.Errorf("the Service %s selects the doctor", service.Name)
		}
	}
}

// selects reports whether all labels of a selector are among others.
func selects(selector, labels map[string]string) bool {
	for name, value := range selector {
		if labels[name] != value {
			return false
		}
	}
	return len(selector) > 0
}

func hasPort(c corev1.Container, name string) bool {
	for _, port := range c.Ports {
		if port.Name == name {
			return true
		}
	}
	return false
}
