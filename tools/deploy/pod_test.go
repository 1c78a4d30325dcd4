package deploy

import (
	"fmt"
	"maps"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
)

// TestGracePeriod: a pod may end for longer than shutdown_delay and shutdown_timeout together, in whole seconds, by ten
// seconds. The gateway notices that it is not ready before it ends.
func TestGracePeriod(t *testing.T) {
	tests := []struct{ delay, timeout string }{
		{"", ""}, {"0s", "1ms"}, {"5s", "15s"}, {"1m", "1h"}, {"59m3s", "90s"}, {"+1m1s100us", "1s1ns"}, {"1.5s", "2.25m"}, {"999ms", "1m500ms"}, {"62s", "0.5h"},
	}
	for _, tt := range tests {
		t.Run(tt.delay+" "+tt.timeout, func(t *testing.T) {
			values := valuesIn(t, "minimal")
			set := values["settings"].(map[string]any)
			want := 10
			for name, text := range map[string]string{"shutdown_delay": tt.delay, "shutdown_timeout": tt.timeout} {
				duration := map[string]time.Duration{"shutdown_delay": 5 * time.Second, "shutdown_timeout": 15 * time.Second}[name]
				if text != "" {
					set[name] = text
					var err error
					if duration, err = time.ParseDuration(text); err != nil {
						t.Fatal(err)
					}
				}
				want += int((duration + time.Second - 1) / time.Second)
			}
			spec := one[*appsv1.Deployment](t, mustRender(t, values), "").Spec.Template.Spec
			if got := *spec.TerminationGracePeriodSeconds; got != int64(want) {
				t.Errorf("%d s, want %d", got, want)
			}
		})
	}
}

// TestVariables: the variables of settings count: those of the time to end, and the certificate for the Service.
func TestVariables(t *testing.T) {
	values := valuesOf(t, `
settings: {shutdown_delay: 1s}
env:
  - {name: PIXGRAPH_SHUTDOWN_DELAY, value: 1m}
  - {name: PIXGRAPH_SHUTDOWN_TIMEOUT, value: 20s}
  - {name: PIXGRAPH_TLS_CERT, value: /etc/tls/tls.crt}
  - {name: PIXGRAPH_TLS_KEY, value: /etc/tls/tls.key}
`)
	maps.Copy(values["settings"].(map[string]any), valuesIn(t, "minimal")["settings"].(map[string]any))
	list := mustRender(t, values)
	if got := *one[*appsv1.Deployment](t, list, "").Spec.Template.Spec.TerminationGracePeriodSeconds; got != 90 {
		t.Errorf("%d s", got)
	}
	if got := *one[*corev1.Service](t, list, "pixgraph").Spec.Ports[0].AppProtocol; got != "https" {
		t.Errorf("protocol %s", got)
	}
}

// TestPods: the pods of the gateway and of the doctor have no privilege, and can write nothing.
func TestPods(t *testing.T) {
	for _, name := range []string{"minimal", "full"} {
		list := mustRender(t, valuesIn(t, name))
		doctor := one[*corev1.Pod](t, list, "-doctor")
		for what, spec := range map[string]corev1.PodSpec{
			"gateway": one[*appsv1.Deployment](t, list, "").Spec.Template.Spec, "doctor": doctor.Spec,
		} {
			pod, c := spec.SecurityContext, spec.Containers[0]
			if !*pod.RunAsNonRoot || *pod.RunAsUser != 65532 || *pod.RunAsGroup != 65532 || pod.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
				t.Errorf("%s, %s: security context %+v", name, what, pod)
			}
			s := c.SecurityContext
			if *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || fmt.Sprint(s.Capabilities.Drop) != "[ALL]" || len(s.Capabilities.Add) > 0 {
				t.Errorf("%s, %s: security context %+v", name, what, s)
			}
			if *spec.AutomountServiceAccountToken || *spec.EnableServiceLinks || spec.HostNetwork || len(spec.Containers) != 1 {
				t.Errorf("%s, %s: %+v", name, what, spec)
			}
			if c.Resources.Limits.Memory().IsZero() {
				t.Errorf("%s, %s: no memory limit", name, what)
			}
			for _, volume := range spec.Volumes {
				if volume.ConfigMap == nil && volume.Secret == nil {
					t.Errorf("%s, %s: volume %+v", name, what, volume)
				}
			}
			for _, mount := range c.VolumeMounts {
				if !mount.ReadOnly {
					t.Errorf("%s, %s: mount %+v", name, what, mount)
				}
			}
		}
	}
}

// TestProbes: the probes read the routes of the admin address, which has no TLS, and readiness fails sooner than
// shutdown_delay ends.
func TestProbes(t *testing.T) {
	for _, name := range []string{"minimal", "full"} {
		c := one[*appsv1.Deployment](t, mustRender(t, valuesIn(t, name)), "").Spec.Template.Spec.Containers[0]
		for path, probe := range map[string]*corev1.Probe{"/readyz": c.ReadinessProbe, "/healthz": c.LivenessProbe} {
			if get := probe.HTTPGet; get.Path != path || get.Port.StrVal != "admin" || !hasPort(c, "admin") || get.Scheme != "" {
				t.Errorf("probe %+v", get)
			}
		}
		if p := c.ReadinessProbe; p.PeriodSeconds*p.FailureThreshold >= 5 {
			t.Errorf("%d failures, every %d s", p.FailureThreshold, p.PeriodSeconds)
		}
	}
}

// TestReplicas: either the Deployment or the autoscaler sets the number of pods. An update never takes one away before
// its replacement is ready.
func TestReplicas(t *testing.T) {
	fixed, scaled := mustRender(t, valuesIn(t, "minimal")), mustRender(t, valuesIn(t, "full"))
	deployment := one[*appsv1.Deployment](t, fixed, "")
	if *deployment.Spec.Replicas != 3 || deployment.Spec.Strategy.RollingUpdate.MaxUnavailable.IntValue() != 0 {
		t.Errorf("%+v", deployment.Spec)
	}
	if of := one[*appsv1.Deployment](t, scaled, "").Spec.Replicas; of != nil {
		t.Errorf("the Deployment sets %d replicas next to the autoscaler", *of)
	}
	scaler := one[*autoscalingv2.HorizontalPodAutoscaler](t, scaled, "")
	if ref := scaler.Spec.ScaleTargetRef; ref.Name != deployment.Name || ref.Kind != "Deployment" || scaler.Spec.MaxReplicas != 20 {
		t.Errorf("%+v", scaler.Spec)
	}
	budget := one[*policyv1.PodDisruptionBudget](t, fixed, "")
	if !selects(budget.Spec.Selector.MatchLabels, deployment.Spec.Template.Labels) {
		t.Errorf("the budget selects %+v", budget.Spec.Selector)
	}
}
