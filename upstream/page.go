package upstream

import (
	"fmt"

	"pixgraph/upstream/wire"
)

// Page is one page of a list (spec 4.1, 4.2). Its records are bytes until they are decoded.
type Page[T Resource] struct {
	Total       int64 // records in all pages; Uncounted if the response has no such member
	TotalPages  int64 // as Total
	CurrentPage int64
	PerPage     int64
	Records     []Record[T]
}

// Uncounted is a count that the API does not report.
const Uncounted = -1

// Record is one record of a page: its bytes and their index.
type Record[T Resource] struct {
	service Service
	value   wire.Value
}

// Bytes returns the JSON of the record. The caller must not modify it.
func (r Record[T]) Bytes() []byte { return r.value.Bytes() }

// Raw returns the Raw of the record. It fails if the record is not a JSON object.
func (r Record[T]) Raw() (Raw, error) {
	raw, err := objectOf(r.service, r.value)
	if err != nil {
		err = BrokenElement(r.service, "data", err)
	}
	return raw, err
}

// ReadPage reads the envelope of a list. All of its five members are always present (spec 4.1, 4.2). ReadPage fails if
// one is invalid, or if `currentPage`, `perPage` or `data` is missing. Without `total` or `totalPages`, records can
// still be read.
func ReadPage[T Resource](value wire.Value) (*Page[T], error) {
	envelope, err := objectOf(Core, value)
	if err != nil {
		return nil, fmt.Errorf("the body %w", err)
	}
	var page Page[T]
	for _, count := range []struct {
		name     string
		into     *int64
		optional bool
	}{
		{"total", &page.Total, true}, {"totalPages", &page.TotalPages, true},
		{"currentPage", &page.CurrentPage, false}, {"perPage", &page.PerPage, false},
	} {
		if value := envelope.get(count.name); count.optional && (!value.Exists() || value.IsNull()) {
			*count.into = Uncounted
			continue
		}
		if *count.into, err = required(envelope, count.name, readInteger); err != nil {
			return nil, err
		}
		if *count.into < 0 {
			return nil, fmt.Errorf("`%s` is negative", count.name)
		}
	}
	elements, err := required(envelope, "data", wire.Value.Elements)
	if err != nil {
		return nil, err
	}
	page.Records = make([]Record[T], 0, elements.Len())
	for elements.Next() {
		page.Records = append(page.Records, Record[T]{Core, elements.Value()})
	}
	return &page, nil
}

// ReadRecord reads a response that is one record. It fails if the value is not a JSON object. Its members are checked
// when they are read.
func ReadRecord[T Resource](service Service, value wire.Value) (*T, error) {
	raw, err := objectOf(service, value)
	if err != nil {
		return nil, err
	}
	return ResourceOf[T](raw), nil
}
