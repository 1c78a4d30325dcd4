package deploy

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// update writes the golden files, and the table of values in the chart's README.
var update = flag.Bool("update", false, "write the golden files and the table of values")

const chartDir = "../../deploy/helm/pixgraph"

// loadOnce loads the chart. Helm prints a line for each symbolic link.
var loadOnce = sync.OnceValues(func() (*chart.Chart, error) { return loader.Load(chartDir) })

func load(t *testing.T) *chart.Chart {
	t.Helper()
	c, err := loadOnce()
	must(t, err)
	return c
}

// valuesOf reads values in YAML.
func valuesOf(t *testing.T, text string) map[string]any {
	t.Helper()
	values := map[string]any{}
	must(t, yaml.UnmarshalStrict([]byte(text), &values))
	return values
}

// valuesIn reads a file in testdata/values.
func valuesIn(t *testing.T, name string) map[string]any {
	t.Helper()
	return valuesOf(t, read(t, filepath.Join("testdata", "values", name+".yaml")))
}

// render renders the chart as `helm install pixgraph --namespace payments` does, after it has checked the values with
// the schema. It returns the objects by the name of their template.
func render(c *chart.Chart, values map[string]any) (map[string]string, error) {
	release := common.ReleaseOptions{Name: "pixgraph", Namespace: "payments", Revision: 1, IsInstall: true}
	all, err := util.ToRenderValues(c, values, release, common.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return engine.Render(c, all)
}

// mustRender renders the chart of the repository.
func mustRender(t *testing.T, values map[string]any) objects {
	t.Helper()
	rendered, err := render(load(t), values)
	must(t, err)
	list := objects{}
	for name, text := range rendered {
		if filepath.Ext(name) != ".yaml" {
			continue
		}
		for document := range strings.SplitSeq("\n"+text, "\n---\n") {
			if document = strings.TrimSpace(document); document != "" {
				list = append(list, object{filepath.Base(name), document, decode(t, document)})
			}
		}
	}
	slices.SortFunc(list, func(a, b object) int { return strings.Compare(a.template+a.text, b.template+b.text) })
	return list
}

// object is a rendered object of Kubernetes.
type object struct {
	template, text string
	value          runtime.Object
}

type objects []object

// one returns the only object of its type, or the one with the suffix in its name if there are several.
func one[T runtime.Object](t *testing.T, list objects, suffix string) T {
	t.Helper()
	var found []T
	for _, o := range list {
		if value, ok := o.value.(T); ok && strings.HasSuffix(nameOf(t, o.value), suffix) {
			found = append(found, value)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d objects of type %T with the suffix %q", len(found), *new(T), suffix)
	}
	return found[0]
}

func nameOf(t *testing.T, value runtime.Object) string {
	t.Helper()
	named, ok := value.(interface{ GetName() string })
	if !ok {
		t.Fatalf("%T has no name", value)
	}
	return named.GetName()
}

// decode reads an object as Kubernetes does, and rejects fields that its type lacks.
func decode(t *testing.T, text string) runtime.Object {
	t.Helper()
	known := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(known))
	utilruntime.Must(monitoringv1.AddToScheme(known))
	value, _, err := serializer.NewCodecFactory(known, serializer.EnableStrict).UniversalDeserializer().Decode([]byte(text), nil, nil)
	if err != nil {
		t.Fatalf("%v:\n%.3000s", err, text)
	}
	return value
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	must(t, err)
	return string(text)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	must(t, os.WriteFile(name, []byte(text), 0o644))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
