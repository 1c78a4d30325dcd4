package settings

import "log/slog"

// Missing returns the settings that are not set although features need them, each with what is unavailable without it.
// With the sandbox the list is empty.
func (s Settings) Missing() (missing []slog.Attr) {
	for _, needed := range []struct{ key, value, unavailable string }{
		{"paging_page_param", s.Client.PageParam, "only the first page of a list can be read"},
		{"paging_per_page_param", s.Client.PerPageParam, "clients cannot choose the size of a page"},
		{"links_metadata_pointer", s.LinksMetadataPointer, "a transaction shows only notifications whose ids the client passes or has read before"},
		{"trace", s.Trace, "clients, and so GraphiQL, cannot request the upstream calls of an operation"},
	} {
		if needed.value == "" {
			missing = append(missing, slog.String(needed.key, needed.unavailable))
		}
	}
	return missing
}
