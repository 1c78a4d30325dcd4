package nethttp

// Idle returns the number of connections of HTTP/2 without a request.
func (h *Host) Idle() (n int) {
	h.pool.mutex.Lock()
	defer h.pool.mutex.Unlock()
	for _, c := range h.pool.conns {
		if c.users == 0 {
			n++
		}
	}
	return n
}
