//go:build race

package buffer

// poison overwrites a buffer that is put back, so that tests find code that still reads it.
func poison(buffer []byte) {
	full := buffer[:cap(buffer)]
	for i := range full {
		full[i] = 0xff
	}
}
