package ledger_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"pixgraph/upstream/sandbox/ledger"
)

// census walks records along the spec's tables and counts what it finds.
type census struct {
	seen map[string]map[string]int // by object.field or enum, then by shape or value
	errs []string
}

func (c *census) count(what, how string) {
	if c.seen[what] == nil {
		c.seen[what] = map[string]int{}
	}
	c.seen[what][how]++
}

func (c *census) fail(at, format string, args ...any) {
	if len(c.errs) < 20 {
		c.errs = append(c.errs, at+": "+fmt.Sprintf(format, args...))
	}
}

func (c *census) object(at, name string, v any) {
	record, ok := v.(map[string]any)
	if !ok {
		c.fail(at, "%s is a %s", name, shapeOf(v))
		return
	}
	known := 0
	for _, field := range strings.Fields(objects[name]) {
		field, typ, _ := strings.Cut(field, ":")
		value, has := record[field]
		shape := shapeOf(value)
		if !has {
			shape = "absent"
		} else {
			known++
		}
		what, at := name+"."+field, at+"."+field
		c.count(what, shape)
		switch {
		case strings.HasSuffix(typ, "?"):
			if !has {
				c.fail(at, "absent")
			}
		case strings.HasSuffix(typ, "!"):
			if value == nil {
				c.fail(at, "%s", shape)
				continue
			}
		}
		if value != nil {
			c.value(at, strings.TrimRight(typ, "!?"), value)
		}
	}
	if known != len(record) {
		c.fail(at, "%d fields, of which the spec knows %d", len(record), known)
	}
}

func (c *census) value(at, typ string, v any) {
	if of, ok := strings.CutPrefix(typ, "[]"); ok {
		list, ok := v.([]any)
		if !ok {
			c.fail(at, "%s is not a list", shapeOf(v))
		}
		for i, element := range list {
			c.value(fmt.Sprintf("%s[%d]", at, i), of, element)
		}
		return
	}
	shape := shapeOf(v)
	text, _ := v.(string)
	right := shape == "string"
	switch typ {
	case "string":
	case "any":
		right = true
	case "object", "number", "bool":
		right = shape == typ
	case "int":
		n, _ := v.(json.Number)
		_, err := n.Int64()
		right = err == nil
	case "iso":
		_, err := time.Parse("2006-01-02T15:04:05.000Z", text)
		right = err == nil
	case "uuid":
		right = len(text) == 36 && text == strings.ToLower(text) && text[14] == '4'
	case "payload":
		right = shape == "string" || shape == "object"
	case "document", "contact":
		if shape == "object" {
			c.object(at, typ+"Object", v)
			return
		}
	default:
		if enum, ok := enums[typ]; ok {
			c.count(typ, text)
			right = slices.Contains(strings.Fields(enum), text)
			break
		}
		c.object(at, typ, v)
		return
	}
	if !right {
		c.fail(at, "%s %.40q is not of type %s", shape, text, typ)
	}
}

func shapeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case json.Number:
		return "number"
	case bool:
		return "bool"
	case []any:
		return "array"
	}
	return "object"
}

func keys(m map[string]int) string {
	var all []string
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// walked is the number of records of each kind that are rendered and checked:
// drawing QR images is slow with the race detector, and everything that must
// occur does so among the newest records. TestEveryBRCode checks that every
// record can be rendered.
const walked = 700

// sharedRecords are the newest records of the shared ledger, decoded once for all tests.
var sharedRecords = sync.OnceValue(func() map[ledger.Kind][]map[string]any { return decodeAll(shared()) })

// decodeAll renders and decodes records, in the order of their lists.
func decodeAll(l *ledger.Ledger) map[ledger.Kind][]map[string]any {
	all := map[ledger.Kind][]map[string]any{}
	for kind, entries := range lists(l) {
		for _, e := range entries[:min(walked, len(entries))] {
			all[kind] = append(all[kind], decode(e))
		}
	}
	return all
}

// decode keeps numbers unparsed. Invalid JSON gives a nil map, which fails every test.
func decode(e *ledger.Entry) map[string]any {
	dec := json.NewDecoder(bytes.NewReader(e.JSON()))
	dec.UseNumber()
	var record map[string]any
	if dec.Decode(&record) != nil {
		return nil
	}
	return record
}
