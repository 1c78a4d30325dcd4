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
{{- fail (printf "%s must have its value in settings, not in a Secret: the chart needs it for the NetworkPolicy or the time to end" .) }}
{{- end }}
{{- end }}
{{- $env := include "pixgraph.env" . | fromJson }}
{{- $collector := $env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT | default $env.OTEL_EXPORTER_OTLP_ENDPOINT | default "" }}
{{- if and (hasPrefix "$(" $collector) $policy.enabled (not $policy.egress) }}
{{- fail "env: the collector's endpoint has no value here, so open its port in networkPolicy.egress" }}
{{- end }}
{{- end }}
