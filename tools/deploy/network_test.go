package deploy

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

// TestNetworkPolicy: pods connect to DNS, the APIs, the issuers, the collector of traces and Redis only, on the ports
// of their URLs, in settings or in variables. If a URL does not have the ports, they are those of the values.
func TestNetworkPolicy(t *testing.T) {
	variable := func(name, value string) string {
		return "env: [{name: " + name + ", value: '" + value + "'}]\n"
	}
	collector := func(url string) string { return variable("OTEL_EXPORTER_OTLP_ENDPOINT", url) }
	const secret = "secretSettings: {redis_url: {name: redis, key: url}}\n"
	tests := []struct {
		name, values string
		ports        []int // after those of DNS
	}{
		{"the ports of https", "", []int{443, 443, 443}},
		{"ports of URLs", "settings: {core_url: 'http://core:8080/v1', dispatcher_url: 'http://[2001:db8::1]/x'}", []int{8080, 80, 443}},
		{"several issuers", "settings: {auth_issuer: 'https://a.example.com, https://b.example.com:9443'}", []int{443, 443, 443, 9443}},
		{"a list of issuers", "settings: {auth_issuer: ['https://a.example.com:8443/x']}", []int{443, 443, 8443}},
		{"proxies", "settings: {core_proxy: 'http://proxy:3128', dispatcher_proxy: 'http://proxy:3129', auth_proxy: 'http://proxy:80'}",
			[]int{3128, 3129, 80}},
		{"no issuer", "settings: {auth_mode: forward, auth_issuer: '', auth_audience: ''}", []int{443, 443}},

		{"a URL in a variable", variable("PIXGRAPH_CORE_URL", "https://core:8443"), []int{8443, 443, 443}},
		{"a URL with a reference", variable("PIXGRAPH_CORE_URL", "http://$(CORE):8080/v1"), []int{8080, 443, 443}},
		{"a proxy in a variable", variable("PIXGRAPH_AUTH_PROXY", "http://proxy:3128"), []int{443, 443, 3128}},
		{"issuers in a variable", variable("PIXGRAPH_AUTH_ISSUER", "https://a:1, https://b:2"), []int{443, 443, 1, 2}},

		{"a collector", collector("http://collector:4318"), []int{443, 443, 443, 4318}},
		{"a collector of traces", variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://collector/v1/traces"), []int{443, 443, 443, 443}},
		{"a collector without a port", collector("http://collector"), []int{443, 443, 443, 80}},
		{"no collector", collector(""), []int{443, 443, 443}},
		{"a collector by reference", collector("http://$(NODE):4318"), []int{443, 443, 443, 4318}},
		{"a rule for the port of the collector", collector("http://collector:4318") + "networkPolicy: {egress: [{ports: [{port: 4318}]}]}",
			[]int{443, 443, 443, 4318}},
		{"a rule for a range", collector("http://collector:4318") + "networkPolicy: {egress: [{ports: [{port: 4000, endPort: 5000}]}]}",
			[]int{443, 443, 443, 4000}},
		{"a rule for another port", collector("http://collector:4318") + "networkPolicy: {egress: [{ports: [{port: 4317}]}]}",
			[]int{443, 443, 443, 4318, 4317}},

		{"Redis without a port", "settings: {redis_url: 'redis://redis'}", []int{443, 443, 443, 6379}},
		{"Redis with a port", "settings: {redis_url: 'rediss://pix@[2001:db8::1]:6380/0'}", []int{443, 443, 443, 6380}},
		{"a unix socket", "settings: {redis_url: 'unix:///run/redis.sock'}", []int{443, 443, 443}},
		{"a cluster", "settings: {redis_url: 'redis://a?addr=b:6379&addr=[::1]:7001&cluster=on'}", []int{443, 443, 443, 6379, 7001}},
		{"Sentinels", "settings: {redis_url: 'redis://a:26379?addr=b:26379&master_set=pix'}", []int{443, 443, 443, 6379, 26379}},
		{"Redis in a Secret", secret, []int{443, 443, 443, 6379}},
		{"Redis in a Secret and ports", secret + "networkPolicy: {redisPorts: [6380, 6381]}", []int{443, 443, 443, 6380, 6381}},
		{"Redis by reference", "env: [{name: PIXGRAPH_REDIS_URL, valueFrom: {secretKeyRef: {name: redis, key: url}}}]", []int{443, 443, 443, 6379}},
		{"Redis in a variable", variable("PIXGRAPH_REDIS_URL", "redis://redis:6380"), []int{443, 443, 443, 6380}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			values := valuesOf(t, tt.values)
			settings, _ := values["settings"].(map[string]any)
			values["settings"] = with(t, settings)["settings"]
			var ports []int
			for _, rule := range one[*networkingv1.NetworkPolicy](t, mustRender(t, values), "").Spec.Egress {
				for _, port := range rule.Ports {
					ports = append(ports, port.Port.IntValue())
				}
				if len(rule.Ports) == 0 {
					t.Error("a rule allows every port")
				}
			}
			if want := append([]int{53, 53}, tt.ports...); !slices.Equal(ports, want) {
				t.Errorf("ports %v, want %v", ports, want)
			}
		})
	}
}

// TestNetworkPeers: each rule has its peers, and the policy applies to the gateway and to the doctor.
func TestNetworkPeers(t *testing.T) {
	list := mustRender(t, valuesIn(t, "full"))
	policy := one[*networkingv1.NetworkPolicy](t, list, "").Spec
	for _, labels := range []map[string]string{
		one[*appsv1.Deployment](t, list, "").Spec.Template.Labels, one[*corev1.Pod](t, list, "-doctor").Labels,
	} {
		if !selects(policy.PodSelector.MatchLabels, labels) {
			t.Errorf("the policy does not apply to pods with %v", labels)
		}
	}
	if !slices.Equal(policy.PolicyTypes, []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress}) {
		t.Errorf("types %v", policy.PolicyTypes)
	}
	const rules = 7 // DNS, two APIs, two issuers, Redis, one more
	if len(policy.Egress) != rules {
		t.Fatalf("%+v", policy.Egress)
	}
	for i, rule := range policy.Egress {
		if len(rule.To) != 1 {
			t.Errorf("rule %d has the peers %+v", i, rule.To)
		}
	}
	if to := policy.Egress[2].To[0]; to.IPBlock == nil || to.IPBlock.CIDR != "192.0.2.0/25" {
		t.Errorf("the dispatcher's peer is %+v", to)
	}
	for _, rule := range policy.Ingress {
		if len(rule.From) != 1 {
			t.Errorf("port %s is open to %+v", rule.Ports[0].Port, rule.From)
		}
	}
	closed := valuesIn(t, "minimal")
	closed["networkPolicy"] = map[string]any{"metrics": []any{}}
	for _, rule := range one[*networkingv1.NetworkPolicy](t, mustRender(t, closed), "").Spec.Ingress {
		if rule.Ports[0].Port.StrVal != "http" {
			t.Errorf("without peers, port %s is open", rule.Ports[0].Port)
		}
	}
}
