//go:build !unix

package http1

// nothingToRead always returns true on systems without a non-blocking read: a request on a closed connection is sent
// again, and unsolicited bytes are not detected.
func nothingToRead(uintptr) bool { return true }
