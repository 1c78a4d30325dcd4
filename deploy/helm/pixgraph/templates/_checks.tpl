{{/*
What values.schema.json cannot check, because it compares values: what the gateway or Kubernetes would reject.
test/rules and tools/deploy compare it with the gateway.
*/}}
{{- define "pixgraph.check" -}}
{{- $s := include "pixgraph.settings" . | fromJson }}
{{- $_ := required "settings.core_url is required: the base URL of the core API" $s.core_url }}
{{- $_ := required "settings.dispatcher_url is required: the base URL of the dispatcher API" $s.dispatcher_url }}
{{- $read := list "shutdown_delay" "shutdown_timeout" }}
{{- $policy := .Values.networkPolicy | default dict }}
{{- if $policy.enabled }}
{{- $read = concat $read (list "core_url" "core_proxy" "dispatcher_url" "dispatcher_proxy" "auth_issuer" "auth_proxy") }}
{{- end }}
{{- range $read }}
{{- if hasPrefix "$(" (get $s .) }}
{{- fail (printf "%s must have its value in settings, not in a Secret or by reference: the chart needs it for the NetworkPolicy or the time to end" .) }}
{{- end }}
{{- end }}
{{- $env := include "pixgraph.env" . | fromJson }}
{{- $collector := $env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT | default $env.OTEL_EXPORTER_OTLP_ENDPOINT | default "" }}
{{- if and (hasPrefix "$(" $collector) $policy.enabled (not $policy.egress) }}
{{- fail "env: the collector's endpoint has no value here, so open its port in networkPolicy.egress" }}
{{- end }}
{{- if eq $s.listen $s.admin_listen }}{{ fail "settings.listen and settings.admin_listen must be two ports" }}{{ end }}
{{- $durations := dict "operation_timeout" "50s" "upstream_timeout" "50s" "live_interval" "1m" }}
{{- range $key, $highest := merge $durations (dict "shutdown_delay" "1h" "shutdown_timeout" "1h") }}
{{- $value := get $s $key }}
{{- if not (or (eq $value "") (hasPrefix "$(" $value)) }}
{{- $ms := include "pixgraph.milliseconds" $value | float64 }}
{{- $none := and (eq $key "shutdown_delay") (eq $ms 0.0) }}
{{- if or (gt $ms (include "pixgraph.milliseconds" $highest | float64)) (and (lt $ms 1.0) (not $none)) }}
{{- fail (printf "%s must be a duration from 1ms to %s" $key $highest) }}
{{- end }}
{{- end }}
{{- end }}
{{- range list "tls" "core_client" "dispatcher_client" "auth_client" "redis_client" }}
{{- if ne (get $s (print . "_cert") | empty) (get $s (print . "_key") | empty) }}
{{- fail (printf "%[1]s_cert and %[1]s_key must both be set, in fileSettings, or neither" .) }}
{{- end }}
{{- end }}
{{- $needs := dict "tls_client_ca" "tls_cert" "core_proxy_credentials" "core_proxy" "dispatcher_proxy_credentials" "dispatcher_proxy" }}
{{- range $key, $other := merge $needs (dict "auth_proxy_credentials" "auth_proxy") }}
{{- if and (get $s $key) (not (get $s $other)) }}{{ fail (printf "%s needs %s: set both" $key $other) }}{{ end }}
{{- end }}
{{- range list "core" "dispatcher" }}
{{- if and (get $s (print . "_url") | lower | hasPrefix "http:") (or (get $s (print . "_ca")) (get $s (print . "_client_cert"))) }}
{{- fail (printf "%[1]s_ca and %[1]s_client_cert are for https, but %[1]s_url begins with http: change it, or remove them" .) }}
{{- end }}
{{- end }}
{{- range list "redis_password_file" "redis_ca" "redis_client_cert" "redis_client_key" }}
{{- if and (get $s .) (not $s.redis_url) }}{{ fail (printf "%s needs redis_url, in settings or in secretSettings" .) }}{{ end }}
{{- end }}
{{- $redis := $s.redis_url | default "" | lower }}
{{- if and (or $s.redis_ca $s.redis_client_cert) (not (or (hasPrefix "$(" $redis) (hasPrefix "rediss:" $redis))) }}
{{- fail "redis_ca and redis_client_cert are for rediss, but redis_url begins with another scheme: change it, or remove them" }}
{{- end }}
{{- $issuers := regexSplit "\\s*,\\s*" ($s.auth_issuer | default "" | trim) -1 | compact }}
{{- if eq ($s.auth_mode | default "oidc") "forward" }}
{{- if or (and $issuers (not $s.console_client_id)) $s.auth_audience }}
{{- fail "auth_mode forward verifies nothing: remove auth_issuer and auth_audience, or set auth_mode to oidc" }}
{{- end }}
{{- else if not (and $issuers $s.auth_audience) }}
{{- fail "settings.auth_issuer and settings.auth_audience are required, or auth_mode: forward" }}
{{- end }}
{{- if ne (len $issuers) (uniq $issuers | len) }}{{ fail "auth_issuer must have each URL only once" }}{{ end }}
{{- if and $s.console_client_id (not $issuers) }}{{ fail "console_client_id needs auth_issuer: set it" }}{{ end }}
{{- if and $s.paging_page_param (eq $s.paging_page_param ($s.paging_per_page_param | default "")) }}
{{- fail "paging_page_param and paging_per_page_param must be the names of two parameters" }}
{{- end }}
{{- $on := list "on" "true" }}
{{- if and (has ($s.persisted_only | default "off") (append $on "report")) (not $s.persisted_manifest) }}
{{- fail "persisted_only needs persisted_manifest, in fileSettings" }}
{{- end }}
{{- with .Values.autoscaling }}
{{- if gt (int .minReplicas) (int .maxReplicas) }}{{ fail "autoscaling.minReplicas must be at most autoscaling.maxReplicas" }}{{ end }}
{{- end }}
{{- $resources := .Values.resources | default dict }}
{{- range $name, $limit := $resources.limits }}
{{- $request := get ($resources.requests | default dict) $name | default 0 | include "pixgraph.quantity" | float64 }}
{{- if gt $request (include "pixgraph.quantity" $limit | float64) }}
{{- fail (printf "resources.requests.%[1]s must be at most resources.limits.%[1]s" $name) }}
{{- end }}
{{- end }}
{{- end }}

{{/* The number of a quantity such as 256Mi. */}}
{{- define "pixgraph.quantity" -}}
{{- $units := dict "" 1 "n" 1e-9 "u" 1e-6 "m" 1e-3 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18 }}
{{- $units = merge $units (dict "Ki" 0x1p10 "Mi" 0x1p20 "Gi" 0x1p30 "Ti" 0x1p40 "Pi" 0x1p50 "Ei" 0x1p60) }}
{{- $number := regexFind "^[0-9.]+([eE][-+]?[0-9]+)?" (toString . | trimPrefix "+") }}
{{- mulf (float64 $number) (toString . | trimPrefix "+" | trimPrefix $number | get $units) }}
{{- end }}
