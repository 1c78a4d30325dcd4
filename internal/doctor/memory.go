package doctor

import "fmt"

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
