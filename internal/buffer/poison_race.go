//go:build race

package buffer

// poison overwrites what is put back, so that tests find those who still read it.
func poison(buffer []byte) {
	full := buffer[:cap(buffer)]
	for i := range full {
		full[i] = 0xff
	}
}
