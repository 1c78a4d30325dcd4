package upstream

import "pixgraph/upstream/wire"

// These functions give the external tests access to unexported code.

// Decode reads one record of the core API.
func Decode[T Resource](raw []byte) (*T, error) {
	value, err := wire.Index(raw)
	if err != nil {
		return nil, &Error{Op: "read a record", Service: Core, Kind: KindInvalidResponse, Err: err}
	}
	object, err := Record[T]{Core, value}.Raw()
	return ResourceOf[T](object), err
}

// DecodePage reads a list of the core API.
func DecodePage[T Resource](raw []byte) (*Page[T], error) {
	value, err := wire.Index(raw)
	if err != nil {
		return nil, err
	}
	return ReadPage[T](value)
}

// Member reads a member of a record, which must exist.
func Member[T any, R Resource](record *R, name string, read func(wire.Value) (T, error)) (T, error) {
	return required(RawOf(record), name, read)
}

// StatusOf reads the status of a deposit.
func StatusOf(record *Deposit) (DepositStatus, error) {
	return enum[DepositStatus](record.Raw, "status")
}
