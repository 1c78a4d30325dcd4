package deploy

import (
	"path"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// TestFileSettings: each file of a setting is where the config file says, in the gateway and in the doctor, from the
// Secret or the ConfigMap of the values. Nothing is mounted by subPath, because Kubernetes would not replace such a
// file.
func TestFileSettings(t *testing.T) {
	values := valuesIn(t, "full")
	list := mustRender(t, values)
	var config map[string]any
	must(t, yaml.Unmarshal([]byte(one[*corev1.ConfigMap](t, list, "pixgraph").Data["pixgraph.yaml"]), &config))
	for _, spec := range []corev1.PodSpec{one[*appsv1.Deployment](t, list, "").Spec.Template.Spec, one[*corev1.Pod](t, list, "-doctor").Spec} {
		mounted := map[string]corev1.VolumeSource{} // by directory
		for _, mount := range spec.Containers[0].VolumeMounts {
			for _, volume := range spec.Volumes {
				if volume.Name == mount.Name {
					mounted[mount.MountPath] = volume.VolumeSource
				}
			}
			if mount.SubPath != "" {
				t.Errorf("%+v", mount)
			}
		}
		for name, value := range values["fileSettings"].(map[string]any) {
			file := value.(map[string]any)
			at, _ := config[name].(string)
			from := mounted[path.Dir(at)]
			if path.Base(at) != file["key"] || !isFrom(from, file) {
				t.Errorf("%s is %q, from %+v", name, at, from)
			}
		}
		if otel := mounted["/etc/otel"]; otel.Secret == nil || otel.Secret.SecretName != "collector" {
			t.Errorf("/etc/otel has %+v", otel)
		}
		if want := 9; len(mounted) != want || len(spec.Volumes) != want { // the config file, seven objects of settings, one more
			t.Errorf("%d directories, %d volumes", len(mounted), len(spec.Volumes))
		}
	}
}

// isFrom reports whether a volume has the Secret or the ConfigMap that the values name.
func isFrom(volume corev1.VolumeSource, file map[string]any) bool {
	if name := file["secret"]; name != nil {
		return volume.Secret != nil && volume.Secret.SecretName == name && *volume.Secret.DefaultMode == 0o440
	}
	return volume.ConfigMap != nil && volume.ConfigMap.Name == file["configMap"]
}

// TestProtocol: the Service says whether clients must use TLS. The port of the pods keeps its name, so that the Service
// leads to old and new ones during an update.
func TestProtocol(t *testing.T) {
	plain := "settings: {core_url: http://core, dispatcher_url: http://dispatcher, auth_mode: forward}\n"
	for protocol, values := range map[string]string{
		"http": plain, "https": plain + "fileSettings: {tls_cert: {secret: tls, key: tls.crt}, tls_key: {secret: tls, key: tls.key}}",
	} {
		list := mustRender(t, valuesOf(t, values))
		port := one[*corev1.Service](t, list, "pixgraph").Spec.Ports[0]
		if port.Name != protocol || *port.AppProtocol != protocol || port.TargetPort.StrVal != "http" {
			t.Errorf("%s: %+v", protocol, port)
		}
		if port := one[*corev1.Service](t, list, "-admin").Spec.Ports[0]; *port.AppProtocol != "http" {
			t.Errorf("%s: the admin port %+v", protocol, port)
		}
	}
}

// TestSeveralManifests: a setting with several files names those of a directory in mounts.
func TestSeveralManifests(t *testing.T) {
	list := mustRender(t, valuesOf(t, `
settings:
  core_url: http://core
  dispatcher_url: http://dispatcher
  auth_mode: forward
  persisted_only: "on"
  persisted_manifest: /manifests/web.json,/manifests/android.json
mounts:
  /manifests: {configMap: manifests}
`))
	config := one[*corev1.ConfigMap](t, list, "pixgraph").Data["pixgraph.yaml"]
	if !strings.Contains(config, "persisted_manifest: \"/manifests/web.json,/manifests/android.json\"") {
		t.Error(config)
	}
	spec := one[*appsv1.Deployment](t, list, "").Spec.Template.Spec
	if !slices.ContainsFunc(spec.Containers[0].VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == "/manifests" }) {
		t.Errorf("%+v", spec.Containers[0].VolumeMounts)
	}
}
