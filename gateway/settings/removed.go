package settings

import "slices"

// withinOthers holds for limits of documents that others imply.
const withinOthers = "documents are limited by tokens, depth, fields and the work of validation"

// removed are the settings that earlier versions had, each with what holds instead. They became constants because no
// deployment needs another value; the reason for each value is at its constant. A gateway starts with them and reports
// them, so that an upgrade does not stop a deployment whose settings are those of before.
func removed() map[string]string {
	return map[string]string{
		"auth_algorithms":                "every asymmetric algorithm is accepted that fits a key of the issuer",
		"auth_leeway":                    "it is always 30s",
		"console_issuer":                 "users sign in at the first of auth_issuer",
		"console_origins":                "they are read from the issuer",
		"cors_headers":                   "pages of cors_origins may send any header",
		"defer":                          "it is always on",
		"fast_path":                      "it is always on",
		"limits_aliases":                 withinOthers,
		"limits_answer":                  "it is always 16MiB",
		"limits_body":                    "it is always 1MiB",
		"limits_bytes":                   "it is always 32768",
		"limits_connections":             "it follows from limits_memory and from how many files may be open",
		"limits_definitions":             withinOthers,
		"limits_depth":                   "it is always 15",
		"limits_directives":              withinOthers,
		"limits_errors":                  "it is always 100",
		"limits_fields":                  "it is always 5000",
		"limits_introspection":           "it is always 16000",
		"limits_nesting":                 withinOthers,
		"limits_operations":              "it is always four times upstream_concurrency",
		"limits_read":                    "it is always 32MiB",
		"limits_repetitions":             withinOthers,
		"limits_root_fields":             withinOthers,
		"limits_tokens":                  "it is always 1000",
		"limits_validation":              "it is always 50000",
		"limits_variables":               withinOthers,
		"live_heartbeat":                 "it is always 15s",
		"live_lifetime":                  "it is always 30m",
		"live_streams":                   "it follows from limits_memory and from how many files may be open",
		"live_streams_per_caller":        "it follows from limits_memory",
		"log_one_in":                     "it is always 100; with log_level=debug every operation is logged",
		"persisted_automatic":            "clients may register documents unless persisted_only is on",
		"persisted_max_bytes":            "it is always 8MiB",
		"persisted_max_entries":          "persisted documents are limited by their size, 8MiB",
		"profiling":                      "profiles are served to clients on the same machine",
		"rate_address_burst":             "rate_identity_burst is for addresses too",
		"tls_private_ca":                 "pixgraph doctor has the flag --private-ca",
		"upstream_breaker_calls":         "it is always 20",
		"upstream_breaker_wait":          "it is always 2.5s",
		"upstream_breaker_window":        "it is always 10s",
		"upstream_coalescing":            "it is always on",
		"upstream_connect_timeout":       "it is always 2s",
		"upstream_connection_age":        "it is always 5m",
		"upstream_connection_idle":       "it is always 90s",
		"upstream_hedge_after":           "calls are not hedged",
		"upstream_max_body":              "it is always 8MiB",
		"upstream_operation_concurrency": "it is always 16",
		"upstream_queue":                 "it is always four times upstream_concurrency",
		"upstream_retries":               "it is always 1",
	}
}

// accepts reports whether a source may have a key: one of the known, or a removed setting.
func accepts(known []string, key string) bool {
	_, wasRemoved := removed()[key]
	return wasRemoved || slices.Contains(known, key)
}

// Removed returns the given settings that were removed and have no effect, each with what holds instead.
func (s Settings) Removed() map[string]string {
	found := removed()
	for key := range found {
		if !s.given[key] {
			delete(found, key)
		}
	}
	return found
}
