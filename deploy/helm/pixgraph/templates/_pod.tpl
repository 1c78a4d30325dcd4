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
  - name: config
    configMap:
      name: {{ include "pixgraph.name" . }}
  {{- range $i, $file := .Values.secretFiles }}
  - name: secret-{{ $i }}
    secret:
      secretName: {{ quote $file.name }}
      defaultMode: 0440
  {{- end }}
  {{- range $i, $file := .Values.configFiles }}
  - name: config-{{ $i }}
    configMap:
      name: {{ quote $file.name }}
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
  - name: config
    mountPath: /etc/pixgraph/config
    readOnly: true
  {{- range $i, $file := .Values.secretFiles }}
  - name: secret-{{ $i }}
    mountPath: {{ quote $file.path }}
    readOnly: true
  {{- end }}
  {{- range $i, $file := .Values.configFiles }}
  - name: config-{{ $i }}
    mountPath: {{ quote $file.path }}
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
