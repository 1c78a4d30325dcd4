package deploy

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

// TestNetworkPolicy: pods connect to the APIs, the issuers and DNS only, on the ports of their URLs. The admin address
// is open only to the peers that may read metrics.
func TestNetworkPolicy(t *testing.T) {
	tests := []struct {
		name     string
		settings map[string]any
		ports    []int
	}{
		{"the ports of https", nil, []int{53, 53, 443, 443, 443}},
		{"ports of URLs", map[string]any{"core_url": "http://core:8080/v1", "dispatcher_url": "http://[2001:db8::1]/x"}, []int{53, 53, 8080, 80, 443}},
		{"several issuers", map[string]any{"auth_issuer": "https://a.example.com, https://b.example.com:9443"}, []int{53, 53, 443, 443, 443, 9443}},
		{"a list of issuers", map[string]any{"auth_issuer": []any{"https://a.example.com:8443/x"}}, []int{53, 53, 443, 443, 8443}},
		{
			"proxies", map[string]any{"core_proxy": "http://proxy:3128", "dispatcher_proxy": "http://proxy:3129", "auth_proxy": "http://proxy:80"},
			[]int{53, 53, 3128, 3129, 80},
		},
		{"no issuer", map[string]any{"auth_mode": "forward", "auth_issuer": "", "auth_audience": ""}, []int{53, 53, 443, 443}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			values := valuesIn(t, "minimal")
			for name, value := range tt.settings {
				values["settings"].(map[string]any)[name] = value
			}
			policy := one[*networkingv1.NetworkPolicy](t, mustRender(t, values), "")
			var ports []int
			for _, rule := range policy.Spec.Egress {
				for _, port := range rule.Ports {
					ports = append(ports, port.Port.IntValue())
				}
				if len(rule.Ports) == 0 {
					t.Error("a rule allows every port")
				}
			}
			if !slices.Equal(ports, tt.ports) {
				t.Errorf("ports %v, want %v", ports, tt.ports)
			}
		})
	}
}

// TestNetworkVariables: variables count for the ports as settings do. The port of the collector of traces is open,
// unless a rule for it says to whom.
func TestNetworkVariables(t *testing.T) {
	const general, traces = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	tests := []struct {
		name, variable, value, rule string
		ports                       []int // after those of DNS
	}{
		{"a collector", general, "http://collector:4318", "", []int{443, 443, 443, 4318}},
		{"a collector of traces", traces, "https://collector/v1/traces", "", []int{443, 443, 443, 443}},
		{"no port", general, "http://collector", "", []int{443, 443, 443, 80}},
		{"no collector", general, "", "", []int{443, 443, 443}},
		{"a rule for the port", general, "http://collector:4318", "{ports: [{port: 4318}]}", []int{443, 443, 443, 4318}},
		{"a rule for a range", general, "http://collector:4318", "{ports: [{port: 4000, endPort: 5000}]}", []int{443, 443, 443, 4000}},
		{"a rule for another port", general, "http://collector:4318", "{ports: [{port: 4317}]}", []int{443, 443, 443, 4318, 4317}},
		{"a URL", "PIXGRAPH_CORE_URL", "https://core:8443", "", []int{8443, 443, 443}},
		{"a reference to another variable", general, "http://$(NODE):4318", "", []int{443, 443, 443, 4318}},
		{"a URL with a reference", "PIXGRAPH_CORE_URL", "http://$(CORE):8080/v1", "", []int{8080, 443, 443}},
		{"a proxy", "PIXGRAPH_AUTH_PROXY", "http://proxy:3128", "", []int{443, 443, 3128}},
		{"issuers", "PIXGRAPH_AUTH_ISSUER", "https://a:1, https://b:2", "", []int{443, 443, 1, 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			values := valuesIn(t, "minimal")
			values["env"] = []any{map[string]any{"name": tt.variable, "value": tt.value}}
			values["networkPolicy"] = valuesOf(t, "egress: ["+tt.rule+"]")
			var ports []int
			for _, rule := range one[*networkingv1.NetworkPolicy](t, mustRender(t, values), "").Spec.Egress[1:] {
				ports = append(ports, rule.Ports[0].Port.IntValue())
			}
			if !slices.Equal(ports, tt.ports) {
				t.Errorf("ports %v, want %v", ports, tt.ports)
			}
		})
	}
}

// TestNetworkRedis: the ports of Redis are those of its URL, or of the values if the URL does not have them all.
func TestNetworkRedis(t *testing.T) {
	const secret = "secretSettings: {redis_url: {name: redis, key: url}}"
	tests := []struct {
		name, values string
		ports        []int
	}{
		{"no Redis", "", nil},
		{"no port", "settings: {redis_url: 'redis://redis'}", []int{6379}},
		{"a port", "settings: {redis_url: 'rediss://pix@[2001:db8::1]:6380/0'}", []int{6380}},
		{"a unix socket", "settings: {redis_url: 'unix:///run/redis.sock'}", nil},
		{"a cluster", "settings: {redis_url: 'redis://a?addr=b:6379&addr=[::1]:7001&cluster=on'}", []int{6379, 7001}},
		{"Sentinels", "settings: {redis_url: 'redis://a:26379?addr=b:26379&master_set=pix'}", []int{6379, 26379}},
		{"a URL in a Secret", secret, []int{6379}},
		{"a URL in a Secret and ports", secret + "\nnetworkPolicy: {redisPorts: [6380, 6381]}", []int{6380, 6381}},
		{"a URL by reference", "env: [{name: PIXGRAPH_REDIS_URL, valueFrom: {secretKeyRef: {name: redis, key: url}}}]", []int{6379}},
		{"a variable", "env: [{name: PIXGRAPH_REDIS_URL, value: 'redis://redis:6380'}]", []int{6380}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			values := valuesOf(t, tt.values)
			settings, _ := values["settings"].(map[string]any)
			values["settings"] = with(t, settings)["settings"]
			var ports []int
			for _, rule := range one[*networkingv1.NetworkPolicy](t, mustRender(t, values), "").Spec.Egress[4:] { // after DNS, two APIs, an issuer
				for _, port := range rule.Ports {
					ports = append(ports, port.Port.IntValue())
				}
			}
			if !slices.Equal(ports, tt.ports) {
				t.Errorf("ports %v, want %v", ports, tt.ports)
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
