package paging

import (
	"testing"

	"pixgraph/upstream"
)

// FuzzCursor reads any text as a cursor. One that is taken is written again as it came, and the pages that it leads to,
// for every size that may be asked for, are ones that could be asked for without it; what is skipped is less than a page,
// and the first record is the one behind the cursor.
func FuzzCursor(f *testing.F) {
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

// wantWindow fails the test unless a window begins behind a cursor.
func wantWindow(t *testing.T, w window, after cursor) {
	t.Helper()
	page := w.pages[0]
	if page.Number < 1 || page.Number > maxPage || page.Size < 1 || page.Size > MaxSize ||
		w.skip < 0 || w.skip >= page.Size || w.limit != page.Size {
		t.Fatalf("window %+v", w)
	}
	if begin := (page.Number-1)*page.Size + w.skip; begin != after.place.next() {
		t.Fatalf("window %+v begins at %d, not %d", w, begin, after.place.next())
	}
	if len(w.pages) > 2 || (len(w.pages) == 2) != (w.skip > 0) {
		t.Fatalf("window %+v", w)
	}
	if len(w.pages) == 2 && w.pages[1] != (upstream.PageRequest{Number: page.Number + 1, Size: page.Size}) {
		t.Fatalf("window %+v", w)
	}
}
