package deploy

import (
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

// TestIngress: Kubernetes accepts the Ingress, which leads to the Service of the chart. Each annotation has the value
// of the directive in the configuration of nginx, which TestShipped of test/hostile tests.
func TestIngress(t *testing.T) {
	const prefix = "nginx.ingress.kubernetes.io/"
	nginx := read(t, "../../deploy/nginx/pixgraph.conf")
	ingress, ok := decode(t, read(t, "../../deploy/ingress/ingress.yaml")).(*networkingv1.Ingress)
	if !ok || len(ingress.Annotations) < 9 {
		t.Fatalf("%+v", ingress)
	}
	for name, value := range ingress.Annotations {
		directive := strings.ReplaceAll(strings.TrimPrefix(name, prefix), "-", "_")
		if directive == "proxy_body_size" {
			directive = "client_max_body_size"
		}
		found := regexp.MustCompile(`(?m)^ *` + directive + ` +(.+?);`).FindStringSubmatch(nginx)
		if found == nil || strings.Contains(directive, "timeout") && found[1] != value+"s" || !strings.Contains(directive, "timeout") && found[1] != value {
			t.Errorf("%s is %q, and nginx has %q", name, value, found)
		}
	}
	backend := ingress.Spec.Rules[0].HTTP.Paths[0].Backend.Service
	service := one[*corev1.Service](t, mustRender(t, valuesIn(t, "minimal")), "pixgraph")
	if backend.Name != service.Name || backend.Port.Number != service.Spec.Ports[0].Port {
		t.Errorf("the Ingress leads to %+v, and the Service is %s with %+v", backend, service.Name, service.Spec.Ports)
	}
	if rule, tls := ingress.Spec.Rules[0], ingress.Spec.TLS[0]; tls.Hosts[0] != rule.Host || tls.SecretName == "" {
		t.Errorf("TLS %+v for %s", tls, rule.Host)
	}
}
