package doctor

import (
	"fmt"
	"maps"
	"slices"
)

// files compares the limit of open files with the connections that the settings allow.
func (e *examination) files() Check {
	needed := e.Settings.FilesNeeded()
	detail := fmt.Sprintf("the limit is %d, and %d connections of clients and upstream_concurrency need %d", e.OpenFiles, e.Settings.Connections, needed)
	switch {
	case e.OpenFiles == 0:
		return skipped("the limit is not known on this system", "")
	case e.OpenFiles < needed:
		return warned(detail, "raise the limit (ulimit -n, LimitNOFILE of systemd) where the gateway runs, or lower upstream_concurrency")
	default:
		return passed(detail)
	}
}

// memory compares the memory limit of the container with the memory that the settings allow.
func (e *examination) memory() Check {
	const mebi = 1 << 20
	needed := e.Settings.MemoryNeeded()
	limit := "no container limits it"
	if e.Memory > 0 {
		limit = fmt.Sprintf("the limit of the container is %d MiB", e.Memory/mebi)
	}
	detail := fmt.Sprintf("%s, and limits_memory and %d streams need %d MiB", limit, e.Settings.Streams.Streams, needed/mebi)
	if e.Memory > 0 && e.Memory < needed {
		return warned(detail, "raise the limit where the gateway runs, or lower limits_memory")
	}
	return passed(detail)
}

// removed reports the settings that have no effect, because no version has them any more.
func (e *examination) removed() Check {
	removed := e.Settings.Removed()
	for _, setting := range slices.Sorted(maps.Keys(removed)) {
		e.report.add("settings", warned(setting+" was removed and has no effect", removed[setting]))
	}
	return Check{}
}
