package paging

import (
	"testing"
)

// FuzzCursor reads any text as a cursor. One that is taken is written again as it came, and the page that it leads to, for
// every size that may be asked for, is one that could be asked for without it, and holds the record behind the cursor.
func FuzzCursor(f *testing.F) {
	for _, sized := range []sizing{{sizeAsked, 0}, {sizeOwn, 100}, {sizeVaries, 0}} {
		text, err := cursor{place{2, 49, 50, sized}, digest{1}}.encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, int32(10))
	}
	f.Fuzz(func(t *testing.T, text string, first int32) {
		c, ok := decodeCursor(text)
		if !ok {
			if _, err := (Arguments{After: &text}).window(digest{}); err == nil {
				t.Fatalf("%q is no cursor and has a window", text)
			}
			return
		}
		if again, err := c.encode(); err != nil || again != text {
			t.Fatalf("%q is written as %q, %v", text, again, err)
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
			if c.place.sizing.kind != sizeAsked {
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
			t.Fatalf("%q has a window in another list", text)
		}
	})
}

// wantWindow fails the test unless a window begins on the page that holds the record behind a cursor, and asks for no more
// than the arguments could.
func wantWindow(t *testing.T, w window, after cursor) {
	t.Helper()
	page, size := w.request, w.request.Size
	if page.Number < 1 || page.Number > maxPage || size < 0 || size > MaxSize || w.limit < 1 || w.limit > MaxSize || *w.after != after.place {
		t.Fatalf("window %+v", w)
	}
	if after.place.sizing.kind != sizeAsked {
		size = after.place.size
	} else if w.limit != size {
		t.Fatalf("window %+v", w)
	}
	if begin := (page.Number - 1) * size; after.place.next() < begin || after.place.next() >= begin+size {
		t.Fatalf("window %+v begins at %d, not %d", w, begin, after.place.next())
	}
}
