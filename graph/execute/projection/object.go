package projection

import (
	"slices"
	"strconv"

	"pixgraph/upstream"
	"pixgraph/upstream/wire"
)

// object writes the selection on an object. It returns false if the object is null, because of the last error in
// w.errs.
func (w *writer) object(o *object, raw upstream.Raw) bool {
	if !w.reserve(o.fixed) {
		return true
	}
	start, written := w.mark(), true
	if o.deferred != nil {
		w.capture(o.deferred, &record{raw})
	}
	base := len(w.slots)
	w.slots = o.names.Append(w.slots, raw.Value) // the caller has checked that it is an object
	w.buf = append(w.buf, '{')
	for i := range o.fields {
		f := &o.fields[i]
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.buf = append(w.buf, f.key...)
		switch {
		case f.kind == kindTypename:
			w.quoted(o.typeName)
		case f.kind == kindLink:
			written = w.link(f, raw)
		case f.derive != nil:
			written = w.derived(f, raw)
		default:
			written = w.field(f, w.slots[base+f.slot], raw.Service)
		}
		if !written {
			w.undo(start)
			break
		}
	}
	if written {
		w.buf = append(w.buf, '}')
	}
	w.slots = w.slots[:base]
	return written
}

// link writes what a link leads to. It returns false if that is null and the field is not.
func (w *writer) link(f *field, raw upstream.Raw) bool {
	found, err := w.take(f, raw)()
	w.enter(f.alias)
	defer w.leave()
	if err != nil {
		w.fail(err)
	}
	if err == nil && found != nil && found.write(w, f.linked) {
		return true
	}
	if !f.required {
		w.null()
	}
	return !f.required
}

// derived writes a derived field of the record.
func (w *writer) derived(f *field, raw upstream.Raw) bool {
	w.step()
	value, err := f.derive(raw)
	if err != nil {
		w.failField(f, err)
		w.null()
		return !f.required
	}
	captured := len(w.captured)
	written := w.field(f, value, raw.Service)
	if value.Exists() && len(w.captured) == captured { // otherwise parts of the response read it later
		value.Release()
	}
	return written
}

// field writes a field. It returns false if a non-null field is null.
func (w *writer) field(f *field, value wire.Value, service upstream.Service) bool {
	if !value.Exists() || value.IsNull() {
		if !f.required {
			w.null()
			return true
		}
		w.failField(f, upstream.Broken(service, f.name, upstream.CheckPresent(value)))
		return false
	}
	var err error
	if f.sub == nil && f.kind != kindTexts {
		err = w.leaf(f, value)
	} else {
		var written bool
		if written, err = w.composite(f, value, service); err == nil {
			return written
		}
	}
	if err == nil {
		return true
	}
	w.failField(f, upstream.Broken(service, f.name, err))
	if f.required {
		return false
	}
	w.null()
	return true
}

// leaf writes a scalar or an enum.
func (w *writer) leaf(f *field, value wire.Value) (err error) {
	var raw []byte
	switch f.kind {
	case kindText:
		if raw, err = upstream.ReadText(value); err == nil {
			w.raw(raw)
		}
	case kindEnum:
		if raw, err = upstream.ReadText(value); err == nil {
			w.enum(f.enum, raw)
		}
	case kindCents:
		var cents upstream.Cents
		if cents, err = upstream.ReadCents(value); err == nil {
			w.buf = strconv.AppendInt(w.buf, int64(cents), 10)
		}
	case kindDecimal:
		if raw, err = upstream.ReadDecimal(value); err == nil {
			w.raw(raw)
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
		if raw, err = upstream.ReadJSON(value); err == nil {
			w.raw(raw)
		}
	}
	return err
}

// enum writes the enum value with this name, or UNKNOWN for any other text.
func (w *writer) enum(e *enum, text upstream.Text) {
	name := text[1 : len(text)-1]
	for _, value := range e.values {
		if value == string(name) {
			w.quoted(value)
			return
		}
	}
	if value := text.String(); slices.Contains(e.values, value) { // sent with escapes
		w.quoted(value)
		return
	}
	if e.unknown != nil {
		e.unknown.Add(1)
	}
	w.quoted(upstream.Unknown)
}

// composite writes an object or a list. It returns false if the value is null, and an error if the value is of another
// kind.
func (w *writer) composite(f *field, value wire.Value, service upstream.Service) (bool, error) {
	switch f.kind {
	case kindObjects, kindTexts:
		elements, err := value.Elements()
		if err != nil {
			return false, err
		}
		w.enter(f.alias)
		written := w.list(f, elements, service)
		w.leave()
		if !written && !f.required {
			w.null()
			written = true
		}
		return written, nil
	case kindContact:
		contact, err := upstream.ReadContact(value)
		if err != nil {
			return false, err
		}
		w.contact(f.sub, contact)
		return true, nil
	case kindDocument:
		if value.Kind() == '"' {
			text, err := upstream.ReadText(value)
			if err != nil {
				return false, err
			}
			w.document(f.sub, text)
			return true, nil
		}
	}
	if value.Kind() != '{' {
		return false, wire.ErrWrongKind
	}
	w.enter(f.alias)
	written := w.object(f.sub, upstream.Raw{Service: service, Value: value})
	w.leave()
	if !written && !f.required {
		w.null()
		written = true
	}
	return written, nil
}

// list writes a list. An invalid element is null, without affecting the others; if it cannot be null, list returns
// false.
func (w *writer) list(f *field, elements wire.Parts, service upstream.Service) bool {
	start := w.mark()
	w.buf = append(w.buf, '[')
	for i := 0; elements.Next() && w.reserve(elementBytes); i++ {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.enterElement(i)
		written := w.element(f, elements.Value(), service)
		w.leave()
		switch {
		case written:
		case f.elementRequired:
			w.undo(start)
			return false
		default:
			w.null()
		}
	}
	w.buf = append(w.buf, ']')
	return true
}

// element writes an element of a list. It returns false if the element is null.
func (w *writer) element(f *field, value wire.Value, service upstream.Service) bool {
	if f.kind == kindObjects && value.Kind() == '{' {
		return w.object(f.sub, upstream.Raw{Service: service, Value: value})
	}
	err := wire.ErrWrongKind
	if f.kind == kindTexts {
		var text upstream.Text
		if text, err = upstream.ReadText(value); err == nil {
			w.text(text.String())
			return true
		}
	}
	w.fail(upstream.BrokenElement(service, f.name, err))
	return false
}
