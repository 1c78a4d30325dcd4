package paging

import (
	"testing"
)

// FuzzCursor decodes any text as a cursor. A valid cursor is encoded to the same text. For every size that a client may
// request, it leads to a page that a client may request by its number, and that has the record after the cursor.
func FuzzCursor(f *testing.F) {
	for _, sizing := range []sizing{{sizeRequested, 0}, {sizeOther, 100}, {sizeVaries, 0}} {
		text, err := cursor{place{2, 49, 50, sizing}, digest{1}}.encode()
		must(f, err)
		f.Add(text, int32(10))
	}
	f.Fuzz(func(t *testing.T, text string, first int32) {
		c, ok := decodeCursor(text)
		if !ok {
			if _, err := (Arguments{After: &text}).window(digest{}); err == nil {
				t.Fatalf("%q is not a cursor and has a window", text)
			}
			return
		}
		if encoded, err := c.encode(); err != nil || encoded != text {
			t.Fatalf("%q is encoded as %q, %v", text, encoded, err)
		}
		next := c.place.next()
		if next < 1 || next > maxPage*maxPage {
			t.Fatalf("%q leads to %d", text, next)
		}
		arguments := Arguments{After: &text}
		if first != 0 {
			arguments.First = &first
		}
		w, err := arguments.window(c.filter)
		if err != nil {
			size := min(valueOf(arguments.First, c.place.size), MaxSize)
			if c.place.sizing.kind != sizeRequested {
				size = c.place.size
			}
			if first >= 0 && first <= MaxSize && next/size < maxPage {
				t.Fatalf("%q with first %d: %v", text, first, err)
			}
			return
		}
		wantWindow(t, w, c)
		other := c.filter
		other[0]++
		if _, err := arguments.window(other); err == nil {
			t.Fatalf("%q has a window of another list", text)
		}
	})
}

// wantWindow fails the test unless the window begins on the page with the record after the cursor, and is no larger
// than the arguments allow.
func wantWindow(t *testing.T, w window, after cursor) {
	t.Helper()
	page, size := w.request, w.request.Size
	if page.Number < 1 || page.Number > maxPage || size < 0 || size > MaxSize || w.limit < 1 || w.limit > MaxSize || *w.after != after.place {
		t.Fatalf("window %+v", w)
	}
	if after.place.sizing.kind != sizeRequested {
		size = after.place.size
	} else if w.limit != size {
		t.Fatalf("window %+v", w)
	}
	if begin := (page.Number - 1) * size; after.place.next() < begin || after.place.next() >= begin+size {
		t.Fatalf("window %+v begins at %d, not %d", w, begin, after.place.next())
	}
}
