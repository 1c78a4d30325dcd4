package upstream

import "pixgraph/upstream/wire"

// What the external tests reach inside for: reading bytes without a server.

// Decode reads one record of the core API.
func Decode[T Resource](raw []byte) (*T, error) {
	value, err := wire.Index(raw)
	if err != nil {
		return nil, &Error{Op: "read a record", Service: Core, Kind: KindInvalidResponse, Err: err}
	}
	return Record[T]{Core, value}.Decode()
}

// DecodePage reads the envelope of a list.
func DecodePage[T Resource](raw []byte) (*Page[T], error) {
	value, err := wire.Index(raw)
	if err != nil {
		return nil, err
	}
	return ReadPage[T](value)
}

// Index walks the members of one object, as every decoding begins.
func Index(raw []byte) (members int, err error) {
	value, err := wire.Index(raw)
	if err != nil {
		return 0, err
	}
	parts, err := value.Members()
	return parts.Len(), err
}
