package upstream_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"pixgraph/upstream"
)

// TestReactions: every kind has a row, and docs/errors.md explains each of them in one row, with the same values.
func TestReactions(t *testing.T) {
	text, err := os.ReadFile("../docs/errors.md")
	must(t, err)
	_, section, _ := strings.Cut(string(text), "## Errors of fields")
	section, _, _ = strings.Cut(section, "\n## ")
	documented := map[string][]string{} // the cells of a row by the names of its kinds
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cells) != 5 || cells[4] == "kind" {
			continue
		}
		for name := range strings.SplitSeq(cells[4], ", ") {
			if documented[name] != nil {
				t.Errorf("docs/errors.md has two rows for %s", name)
			}
			documented[name] = cells
		}
	}
	for kind := range upstream.NumKinds {
		r := kind.Reaction()
		lacks := kind != upstream.KindInternal && r.Name == "internal"
		if lacks || r.Code == "" || r.Health == 0 || strings.Contains(r.MessageOf(upstream.Core), "%") {
			t.Errorf("the row of kind %d is not complete: %+v", kind, r)
		}
		cells := documented[r.Name]
		if cells == nil {
			t.Errorf("docs/errors.md does not explain the kind %s", r.Name)
			continue
		}
		delete(documented, r.Name)
		if r.EndsStream && r.Retryable {
			t.Errorf("%s ends streams, although it is retryable", r.Name)
		}
		retryable, stream := "no", "continues"
		if r.Retryable {
			retryable = "yes"
		}
		if r.EndsStream {
			stream = "ends"
		}
		if want := "`" + r.Code + "` " + retryable + " " + stream; strings.Join(cells[1:4], " ") != want {
			t.Errorf("docs/errors.md says %s of the kind %s, want %s", cells[1:4], r.Name, want)
		}
		if r.Status != 0 && (upstream.KindOfStatus(r.Status) != kind || !strings.Contains(cells[0], strconv.Itoa(r.Status))) {
			t.Errorf("status %d is of the kind %s; docs/errors.md says %s", r.Status, upstream.KindOfStatus(r.Status), cells[0])
		}
	}
	if len(documented) > 0 {
		t.Errorf("docs/errors.md explains kinds that do not exist: %v", documented)
	}
	if upstream.Kind(-1).String() != "internal" || upstream.NumKinds.String() != "internal" {
		t.Error("an invalid kind has a row")
	}
}

// TestKindOfStatus: statuses without a row are server errors or outside the contract.
func TestKindOfStatus(t *testing.T) {
	for status, want := range map[int]upstream.Kind{
		500: upstream.KindServerError, 503: upstream.KindServerError, 599: upstream.KindServerError,
		0: upstream.KindInvalidResponse, 204: upstream.KindInvalidResponse, 302: upstream.KindInvalidResponse,
		400: upstream.KindInvalidResponse, 600: upstream.KindInvalidResponse,
	} {
		if got := upstream.KindOfStatus(status); got != want {
			t.Errorf("%d is of the kind %s, want %s", status, got, want)
		}
	}
}
