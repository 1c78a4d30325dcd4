package projection

import (
	"slices"
	"strconv"

	"pixgraph/upstream"
	"pixgraph/upstream/wire"
)

// object writes the selection of an object; false when it is null, for the last error of w.errs.
func (w *writer) object(o *object, raw upstream.Raw, at *place) bool {
	base := len(w.slots)
	w.slots = append(w.slots, make([][]byte, len(o.names.list))...)
	for i := range raw.Index.Len() {
		if slot := o.names.find(raw.Index.Name(i)); slot >= 0 {
			w.slots[base+slot] = raw.Index.Value(i) // of two members of one name the last one counts
		}
	}
	defer func() { w.slots = w.slots[:base] }()

	var waiting []func() (*upstream.Raw, error)
	for _, link := range o.links {
		waiting = append(waiting, o.fields[link].follow(w.ctx, raw))
	}
	start := w.mark()
	w.buf = append(w.buf, '{')
	for i := range o.fields {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		f := &o.fields[i]
		w.buf = append(w.buf, f.key...)
		if f.kind == kindTypename {
			w.quoted(o.typeName)
			continue
		}
		if f.kind == kindLink {
			w.link(f, waiting[f.slot], at)
			continue
		}
		if !w.field(f, w.slots[base+f.slot], raw.Service, at) {
			w.undo(start)
			return false
		}
	}
	w.buf = append(w.buf, '}')
	return true
}

// field writes one field; false when it is null and must not be.
func (w *writer) field(f *field, value []byte, service upstream.Service, parent *place) bool {
	if value == nil || value[0] == 'n' {
		if !f.required {
			w.null()
			return true
		}
		w.fail(parent.field(f.alias), upstream.Broken(service, f.name, upstream.CheckPresent(value)), f.position)
		return false
	}
	if f.sub == nil && f.kind != kindTexts {
		if err := w.leaf(f, value); err != nil {
			return w.broken(f, service, parent, err)
		}
		return true
	}
	return w.composite(f, value, service, parent)
}

// broken tells what is wrong with a field's value, and writes the null when there may be one.
func (w *writer) broken(f *field, service upstream.Service, parent *place, err error) bool {
	w.fail(parent.field(f.alias), upstream.Broken(service, f.name, err), f.position)
	if f.required {
		return false
	}
	w.null()
	return true
}

// leaf writes a value that has no parts.
func (w *writer) leaf(f *field, value []byte) (err error) {
	switch f.kind {
	case kindText:
		if value, err = upstream.ReadText(value); err == nil {
			w.buf = append(w.buf, value...)
		}
	case kindEnum:
		var text upstream.Text
		if text, err = upstream.ReadText(value); err == nil {
			w.enum(f, text)
		}
	case kindCents:
		var cents upstream.Cents
		if cents, err = upstream.ReadCents(value); err == nil {
			w.buf = strconv.AppendInt(w.buf, int64(cents), 10)
		}
	case kindDecimal:
		if value, err = upstream.ReadDecimal(value); err == nil {
			w.buf = append(w.buf, value...)
		}
	case kindInt:
		var integer int32
		if integer, err = upstream.ReadInt32(value); err == nil {
			w.buf = strconv.AppendInt(w.buf, int64(integer), 10)
		}
	case kindBool:
		var flag bool
		if flag, err = upstream.ReadBool(value); err == nil {
			w.boolean(flag)
		}
	default:
		if value, err = upstream.ReadJSON(value); err == nil {
			w.buf = append(w.buf, value...)
		}
	}
	return err
}

// enum writes a value of the schema, UNKNOWN for any other text.
func (w *writer) enum(f *field, text upstream.Text) {
	name := text[1 : len(text)-1]
	for _, value := range f.values {
		if value == string(name) {
			w.quoted(value)
			return
		}
	}
	if value := text.String(); slices.Contains(f.values, value) { // it was sent with escapes
		w.quoted(value)
		return
	}
	w.quoted(upstream.Unknown)
}

// composite writes a value that has parts.
func (w *writer) composite(f *field, value []byte, service upstream.Service, parent *place) bool {
	at := parent.field(f.alias)
	switch f.kind {
	case kindObjects, kindTexts:
		elements, err := upstream.Split(value)
		if err != nil {
			return w.broken(f, service, parent, err)
		}
		w.list(f, elements, service, at)
		return true
	case kindContact:
		contact, err := upstream.ReadContact(value)
		if err != nil {
			return w.broken(f, service, parent, err)
		}
		w.contact(f.sub, contact)
		return true
	case kindDocument:
		if value[0] == '"' {
			text, err := upstream.ReadText(value)
			if err != nil {
				return w.broken(f, service, parent, err)
			}
			w.document(f.sub, text)
			return true
		}
	}
	index, err := wire.Index(value)
	if err != nil {
		return w.broken(f, service, parent, err)
	}
	if w.object(f.sub, upstream.Raw{Service: service, Index: index}, at) {
		return true
	}
	if f.required {
		return false
	}
	w.null()
	return true
}

// list writes a list whose elements stand alone: a broken one is a null at its place.
func (w *writer) list(f *field, elements [][]byte, service upstream.Service, at *place) {
	w.buf = append(w.buf, '[')
	for i, element := range elements {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		here := &place{parent: at, index: i}
		if f.kind == kindTexts {
			text, err := upstream.ReadText(element)
			if err != nil {
				w.fail(here, upstream.BrokenElement(service, f.name, err), nil)
				w.null()
				continue
			}
			w.text(text)
			continue
		}
		index, err := wire.Index(element)
		if err != nil {
			w.fail(here, upstream.BrokenElement(service, f.name, err), nil)
			w.null()
			continue
		}
		if !w.object(f.sub, upstream.Raw{Service: service, Index: index}, here) {
			w.null()
		}
	}
	w.buf = append(w.buf, ']')
}
