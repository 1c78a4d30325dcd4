package settings

import "slices"

// removed are the settings that earlier versions had, each with what holds instead. They became constants because no
// deployment needs another value; the reason for each value is at its constant. A gateway starts with them and reports
// them, so that an upgrade does not stop a deployment whose settings are those of before.
func removed() map[string]string {
	return map[string]string{
		"limits_answer":            "it is always 16MiB",
		"limits_body":              "it is always 1MiB",
		"limits_depth":             "it is always 15",
		"limits_read":              "it is always 32MiB",
		"live_lifetime":            "it is always 30m",
		"rate_address_burst":       "rate_identity_burst is for addresses too",
		"upstream_connect_timeout": "it is always 2s",
		"upstream_connection_age":  "it is always 5m",
		"upstream_connection_idle": "it is always 90s",
		"upstream_retries":         "it is always 1",
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
