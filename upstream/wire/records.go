package wire

import "slices"

// Element is one element of an array of objects.
type Element struct {
	Raw    []byte // the element as it was sent
	Object Object // its members; the zero Object when it is none
	OK     bool   // whether it is an object
}

// IndexList cuts a document that is one object, as Index does, and the array that is its member of the name list into
// its elements, each object of them into its members. It passes over the document once. Without that member, or when it is
// no array, there are no elements.
func IndexList(document []byte, list string, most int) (Object, []Element, error) {
	at := Space(document, 0)
	if at == len(document) || document[at] != '{' {
		return Object{}, nil, kindError(document, at)
	}
	c := &cutter{document: document, most: most, list: list}
	members, end := c.members(make([]Member, 0, usualMembers), at, 1)
	switch {
	case c.tooMany:
		return Object{}, nil, ErrTooMany
	case end < 0 || Space(document, end) != len(document):
		return Object{}, nil, ErrNotJSON
	}
	return Object{document, members}, c.elements(), nil
}

// cutter collects the elements of one array, and their members in one list that grows while it is filled.
type cutter struct {
	document []byte
	list     string
	most     int
	tooMany  bool
	inner    []Member
	cuts     []cut
}

type cut struct {
	raw         span
	first, last int // its members; -1 when it is no object
}

// array cuts the array that begins at a position, and returns the position behind it; a value that is no array has no
// elements. What was cut before is forgotten: of two members of one name the last one counts.
func (c *cutter) array(i int) int {
	c.inner, c.cuts = c.inner[:0], c.cuts[:0]
	if i >= len(c.document) || c.document[i] != '[' {
		return value(c.document, i, 1)
	}
	i = Space(c.document, i+1)
	if i < len(c.document) && c.document[i] == ']' {
		return i + 1
	}
	for {
		if i = c.element(i); i < 0 {
			return -1
		}
		if i = Space(c.document, i); i >= len(c.document) {
			return -1
		}
		switch c.document[i] {
		case ',':
			i = Space(c.document, i+1)
		case ']':
			return i + 1
		default:
			return -1
		}
	}
}

// element cuts one element.
func (c *cutter) element(i int) int {
	first, end := -1, 0
	if i < len(c.document) && c.document[i] == '{' {
		first = len(c.inner)
		c.inner, end = appendMembers(c.inner, c.document, i, 3)
	} else {
		end = value(c.document, i, 2)
	}
	if end < 0 || len(c.cuts) == c.most {
		c.tooMany = end >= 0
		return -1
	}
	c.cuts = append(c.cuts, cut{span{uint32(i), uint32(end)}, first, len(c.inner)})
	if len(c.cuts) == 1 {
		c.reserve(end - i)
	}
	return end
}

// reserve makes room after the first element: records of a list are alike, so it tells how many are to come.
func (c *cutter) reserve(size int) {
	records := min(len(c.document)/max(size, minMember)+1, c.most)
	c.inner = slices.Grow(c.inner, min(len(c.document)/minMember, (len(c.inner)+4)*records))
	c.cuts = slices.Grow(c.cuts, records)
}

func (c *cutter) elements() []Element {
	elements := make([]Element, len(c.cuts))
	for i, cut := range c.cuts {
		elements[i].Raw = cut.raw.of(c.document)
		if cut.first >= 0 {
			elements[i].Object, elements[i].OK = Object{c.document, c.inner[cut.first:cut.last:cut.last]}, true
		}
	}
	return elements
}
