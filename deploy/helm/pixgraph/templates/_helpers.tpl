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

{{/* The variables by name, as JSON. A value that is elsewhere, such as in a Secret, is $(NAME). */}}
{{- define "pixgraph.env" -}}
{{- $env := dict }}
{{- range $key, $secret := .Values.secretSettings }}
{{- $name := printf "PIXGRAPH_%s" (upper $key) }}
{{- $_ := set $env $name (printf "$(%s)" $name) }}
{{- end }}
{{- range .Values.env }}
{{- if hasKey $env .name }}{{ fail (printf "env: %s is set twice, here or in secretSettings: remove one" .name) }}{{ end }}
{{- $_ := set $env .name (empty .valueFrom | ternary (.value | default "") (printf "$(%s)" .name)) }}
{{- end }}
{{- mustToRawJson $env }}
{{- end }}

{{/* The settings of the gateway, as texts in JSON: those of its config file, which variables override. */}}
{{- define "pixgraph.settings" -}}
{{- $settings := dict }}
{{- range $key, $value := .Values.settings }}
{{- if kindIs "slice" $value }}{{ $value = join "," $value }}{{ else if not (kindIs "string" $value) }}{{ $value = mustToRawJson $value }}{{ end }}
{{- $_ := set $settings $key $value }}
{{- end }}
{{- range $key, $file := .Values.fileSettings }}{{ $_ := set $settings $key $file.key }}{{ end }}
{{- range $name, $value := include "pixgraph.env" . | fromJson }}
{{- if hasPrefix "PIXGRAPH_" $name }}{{ $_ := set $settings (trimPrefix "PIXGRAPH_" $name | lower) $value }}{{ end }}
{{- end }}
{{- mustToRawJson $settings }}
{{- end }}

{{/* The protocol of the gateway's address. That of the admin address is always http. */}}
{{- define "pixgraph.scheme" -}}
{{ if (include "pixgraph.settings" . | fromJson).tls_cert }}https{{ else }}http{{ end }}
{{- end }}

{{/* The port of an address such as ":8080". */}}
{{- define "pixgraph.portOf" -}}
{{ splitList ":" . | last }}
{{- end }}

{{/* The port of a URL. */}}
{{- define "pixgraph.portOfURL" -}}
{{- $url := urlParse . }}
{{- regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default (eq $url.scheme "http" | ternary 80 443) }}
{{- end }}

{{/*
The ports of redis_url and of its further hosts, as JSON. Sentinels name servers with other ports, and a URL in a Secret has none here: then
they are, or include, networkPolicy.redisPorts.
*/}}
{{- define "pixgraph.redisPorts" -}}
{{- $ports := list }}
{{- $url := (include "pixgraph.settings" . | fromJson).redis_url | default "" }}
{{- if and $url (not (hasPrefix "unix:" (lower $url))) }}
{{- if or (hasPrefix "$(" $url) (contains "master_set=" $url) }}{{ $ports = .Values.networkPolicy.redisPorts }}{{ end }}
{{- if not (hasPrefix "$(" $url) }}
{{- $parsed := urlParse $url }}
{{- range prepend (regexFindAll "addr=[^&]+" $parsed.query -1) $parsed.host }}
{{- $ports = regexFind ":[0-9]+$" . | trimPrefix ":" | default "6379" | int | append $ports }}
{{- end }}
{{- end }}
{{- end }}
{{- uniq $ports | mustToRawJson }}
{{- end }}

{{/* Not empty if one of the rules for outgoing connections opens a port. A rule without ports opens all. */}}
{{- define "pixgraph.opens" -}}
{{- $port := int .port }}
{{- range .rules }}
{{- range .ports | default (list dict) }}
{{- $first := .port | default 1 }}
{{- if or (kindIs "string" $first) (and (ge $port (int $first)) (le $port (int (.endPort | default .port | default 65535)))) }}opened{{ end }}
{{- end }}
{{- end }}
{{- end }}

{{/* The milliseconds of a duration such as 1m30s. */}}
{{- define "pixgraph.milliseconds" -}}
{{- $units := dict "h" 3600000 "m" 60000 "s" 1000 "ms" 1 "us" 1e-3 "µs" 1e-3 "μs" 1e-3 "ns" 1e-6 }}
{{- $sum := 0.0 }}
{{- range regexFindAll "[0-9.]+[a-zµμ]+" . -1 }}
{{- $sum = addf $sum (mulf (regexFind "[0-9.]+" . | float64) (get $units (regexFind "[a-zµμ]+" .))) }}
{{- end }}
{{- $sum }}
{{- end }}

{{/*
The time that a pod has to end: shutdown_delay and shutdown_timeout, 5 s in which the gateway sends its last traces, and 5 s more.
*/}}
{{- define "pixgraph.gracePeriod" -}}
{{- $settings := include "pixgraph.settings" . | fromJson }}
{{- $seconds := 10 }}
{{- range list ($settings.shutdown_delay | default "5s") ($settings.shutdown_timeout | default "15s") }}
{{- $seconds = divf (include "pixgraph.milliseconds" .) 1000 | ceil | add $seconds }}
{{- end }}
{{- $seconds }}
{{- end }}
