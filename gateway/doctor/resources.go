package doctor

import "fmt"

// files compares the limit of open files with the connections that the settings allow.
func (e *examination) files() {
	const what = "open files"
	needed := e.Settings.FilesNeeded()
	detail := fmt.Sprintf("the limit is %d, and limits_connections and upstream_concurrency need %d", e.OpenFiles, needed)
	switch {
	case e.OpenFiles == 0:
		e.report.add(what, Skipped, "the limit is not known on this system", "")
	case e.OpenFiles < needed:
		e.report.add(what, Warn, detail, "raise the limit (ulimit -n, LimitNOFILE of systemd) where the gateway runs, or lower limits_connections and live_streams")
	default:
		e.report.add(what, OK, detail, "")
	}
}

// memory compares the memory limit of the container with the memory that the settings allow.
func (e *examination) memory() {
	const what, mebi = "memory", 1 << 20
	needed := e.Settings.MemoryNeeded()
	limit := "no container limits it"
	if e.Memory > 0 {
		limit = fmt.Sprintf("the limit of the container is %d MiB", e.Memory/mebi)
	}
	detail := fmt.Sprintf("%s, and limits_memory and live_streams need %d MiB", limit, needed/mebi)
	if e.Memory > 0 && e.Memory < needed {
		e.report.add(what, Warn, detail, "raise the limit where the gateway runs, or lower limits_memory and live_streams")
		return
	}
	e.report.add(what, OK, detail, "")
}
