{{/* What a pod of the gateway and one of the doctor have in common: who it runs as, its settings and its files. */}}
{{- define "pixgraph.pod" -}}
serviceAccountName: {{ include "pixgraph.name" . }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  {{- $mounts := include "pixgraph.mounts" . | fromJson }}
  {{- range $i, $path := keys $mounts | sortAlpha }}
  - name: files-{{ $i }}
    {{- with get $mounts $path }}
    {{- if .secret }}
    secret:
      secretName: {{ quote .secret }}
      defaultMode: 0440
    {{- else }}
    configMap:
      name: {{ quote .configMap }}
    {{- end }}
    {{- end }}
  {{- end }}
{{- end }}

{{- define "pixgraph.container" -}}
image: {{ include "pixgraph.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  {{- range $i, $path := include "pixgraph.mounts" . | fromJson | keys | sortAlpha }}
  - name: files-{{ $i }}
    mountPath: {{ quote $path }}
    readOnly: true
  {{- end }}
{{- if or .Values.env .Values.secretSettings }}
env:
  {{- range $key, $secret := .Values.secretSettings }}
  - name: PIXGRAPH_{{ upper $key }}
    valueFrom:
      secretKeyRef:
        name: {{ quote $secret.name }}
        key: {{ quote $secret.key }}
  {{- end }}
  {{- with .Values.env }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
{{- end }}
