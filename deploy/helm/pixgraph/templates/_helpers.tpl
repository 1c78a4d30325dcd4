{{/* The name of all objects: that of the release, after which the chart is named unless the release already is. */}}
{{- define "pixgraph.name" -}}
{{- contains .Chart.Name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) | trunc 57 | trimSuffix "-" }}
{{- end }}

{{/* The labels by which objects select the gateway's pods. */}}
{{- define "pixgraph.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "pixgraph.labels" -}}
{{ include "pixgraph.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* The gateway's image: the digest if there is one, otherwise the tag. */}}
{{- define "pixgraph.image" -}}
{{- with .Values.image }}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{/* The gateway's config file. A Boolean of YAML is on or off. Values are written as JSON, which writes whole numbers as such. */}}
{{- define "pixgraph.config" -}}
{{- range $key, $value := .Values.settings }}
{{- if kindIs "bool" $value }}{{ $value = ternary "on" "off" $value }}{{ end }}
{{ $key }}: {{ mustToRawJson $value }}
{{- end }}
{{- range $key, $file := .Values.fileSettings }}
{{- if hasKey $.Values.settings $key }}{{ fail (printf "%s is in settings and in fileSettings" $key) }}{{ end }}
{{ $key }}: {{ printf "%s/%s" (include "pixgraph.directory" $file) $file.key | mustToRawJson }}
{{- end }}
{{- end }}

{{/* The directory of the Secret or the ConfigMap that has the file of a setting. */}}
{{- define "pixgraph.directory" -}}
/etc/pixgraph/{{ if .secret }}secrets/{{ .secret }}{{ else }}configmaps/{{ .configMap }}{{ end }}
{{- end }}

{{/* What is mounted, by path, as JSON: the config file, the files of settings, and other files. */}}
{{- define "pixgraph.mounts" -}}
{{- $mounts := dict "/etc/pixgraph/config" (dict "configMap" (include "pixgraph.name" .)) }}
{{- range .Values.fileSettings }}
{{- $_ := set $mounts (include "pixgraph.directory" .) (omit . "key") }}
{{- end }}
{{- range $path, $source := .Values.mounts }}
{{- if hasKey $mounts $path }}{{ fail (printf "mounts: %s is in use" $path) }}{{ end }}
{{- $_ := set $mounts $path $source }}
{{- end }}
{{- mustToRawJson $mounts }}
{{- end }}

{{/* The protocol of the gateway's address. That of the admin address is always http. */}}
{{- define "pixgraph.scheme" -}}
{{ if or .Values.settings.tls_cert .Values.fileSettings.tls_cert }}https{{ else }}http{{ end }}
{{- end }}

{{/* The port of an address such as ":8080". */}}
{{- define "pixgraph.portOf" -}}
{{ splitList ":" . | last }}
{{- end }}

{{/* A setting without which the gateway would run over its sandbox. */}}
{{- define "pixgraph.coreURL" -}}
{{ required "settings.core_url is required: the base URL of the core API" .Values.settings.core_url }}
{{- end }}
{{- define "pixgraph.dispatcherURL" -}}
{{ required "settings.dispatcher_url is required: the base URL of the dispatcher API" .Values.settings.dispatcher_url }}
{{- end }}

{{/* The port of a URL. */}}
{{- define "pixgraph.portOfURL" -}}
{{- $url := urlParse . }}
{{- regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default (eq $url.scheme "http" | ternary 80 443) }}
{{- end }}

{{/* The seconds of a duration such as 1m30s, rounded up. */}}
{{- define "pixgraph.seconds" -}}
{{- $units := dict "h" 3600000 "m" 60000 "s" 1000 "ms" 1 }}
{{- $milliseconds := 0.0 }}
{{- range regexFindAll "[0-9.]+(h|ms|m|s)" . -1 }}
{{- $milliseconds = addf $milliseconds (mulf (regexFind "[0-9.]+" . | float64) (get $units (regexFind "[a-z]+" .))) }}
{{- end }}
{{- divf $milliseconds 1000 | ceil }}
{{- end }}

{{/*
The time that a pod has to end: shutdown_delay and shutdown_timeout, 5 s in which the gateway sends its last traces, and 5 s more.
*/}}
{{- define "pixgraph.gracePeriod" -}}
{{- $delay := include "pixgraph.seconds" (.Values.settings.shutdown_delay | default "5s") }}
{{- $timeout := include "pixgraph.seconds" (.Values.settings.shutdown_timeout | default "15s") }}
{{- add $delay $timeout 10 }}
{{- end }}
