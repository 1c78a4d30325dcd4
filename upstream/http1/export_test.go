package http1

import "time"

// TakeIdle takes an idle connection for a request with the deadline, and reports whether there was one.
func (h *Host) TakeIdle(deadline time.Time) bool {
	c := h.idle.take(&Request{Deadline: deadline}, h.idle.hash(""), time.Now())
	if c == nil {
		return false
	}
	c.close()
	return true
}

// Idle is the number of idle connections.
func (h *Host) Idle() int {
	h.idle.mutex.Lock()
	defer h.idle.mutex.Unlock()
	return len(h.idle.conns)
}
