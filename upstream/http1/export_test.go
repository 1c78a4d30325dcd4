package http1

// Authority is what the Host header says for the host of a URL.
func Authority(host string) string { return authority(host) }

// Address is what is dialed.
func (h *Host) Address() string { return h.address }

// Idle is how many connections are kept.
func (h *Host) Idle() int {
	h.idle.mutex.Lock()
	defer h.idle.mutex.Unlock()
	return len(h.idle.conns)
}
