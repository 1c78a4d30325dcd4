package memnet

import "errors"

// rawConn lets its user read a descriptor to which nothing was written, if the stream is silent.
type rawConn struct{ stream *stream }

var errNotSilent = errors.New("there is something to read")

// Read implements syscall.RawConn.
func (r rawConn) Read(look func(descriptor uintptr) bool) error {
	if !r.stream.silent() {
		return errNotSilent
	}
	descriptor, err := emptyPipe()
	if err == nil {
		look(descriptor)
	}
	return err
}

// Write implements syscall.RawConn.
func (r rawConn) Write(func(uintptr) bool) error { return errors.ErrUnsupported }

// Control implements syscall.RawConn.
func (r rawConn) Control(func(uintptr)) error { return errors.ErrUnsupported }
