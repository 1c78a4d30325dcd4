package download

import (
	"bytes"
	"encoding/json"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/execute/paging"
	"pixgraph/upstream/wire"
)

// Format is a format of files. Its methods append to a buffer.
type Format interface {
	ContentType() string
	Extension() string
	// Begin appends what is before the first record.
	Begin(to *bytes.Buffer, t *Table)
	// Record appends a record, which is null if it cannot be read. errs are the paths of its errors from the record on.
	Record(to *bytes.Buffer, t *Table, record wire.Value, errs []ast.Path)
	// End appends what is after the last record. It reports whether that says how the file ends.
	End(to *bytes.Buffer, end End) (said bool)
}

// End is what a file says about itself: whether it has the whole list, or the sums of it.
type End struct {
	Complete bool          `json:"complete"`
	Reason   paging.Reason `json:"reason,omitempty"` // why it is not complete
	Records  int           `json:"records"`          // rows
	Pages    int           `json:"pages"`
	Total    *int64        `json:"total,omitempty"` // records that the API counts for a file of a list; nil if it does not
	// Summary is what is selected of a summary besides its groups; nil for a list, and if nothing is.
	Summary json.RawMessage `json:"summary,omitempty"`
	// Errors are those of the records and of the page that failed. An index in a path is the number of the record in
	// the file.
	Errors gqlerror.List `json:"errors,omitempty"`
}

// Cut reports whether records are missing that the API has: the end of the list in its file, or records of the list in
// the sums or the groups of a summary.
func (e End) Cut() bool {
	switch e.Reason {
	case paging.PageFailed, paging.PagingUnknown, paging.PageLimit, paging.GroupLimit:
		return true
	default:
		return false
	}
}

// Progress says how far a file is.
type Progress struct {
	Pages   int64    `json:"pages"`
	Of      int64    `json:"of,omitempty"` // pages of the file, as the API counts; 0 if it does not
	Records int64    `json:"records"`      // of these pages
	Total   *int64   `json:"total,omitempty"`
	Waiting *Waiting `json:"waiting,omitempty"` // nil unless the next page could not be read, and is read again
}

// Waiting is why a page could not be read.
type Waiting struct {
	Code    string `json:"code"`
	Service string `json:"service,omitempty"` // the API that failed
}

// Lines is the format with a line of JSON for each record.
type Lines struct {
	Type     string // the media type that the client asked for
	Progress bool   // whether there are lines that say how far the file is
}

// ContentType implements Format.
func (f Lines) ContentType() string {
	if f.Progress {
		return f.Type + "; charset=utf-8; progress=1"
	}
	return f.Type + "; charset=utf-8"
}

// Extension implements Format.
func (f Lines) Extension() string { return "ndjson" }

// Begin implements Format.
func (f Lines) Begin(*bytes.Buffer, *Table) {}

// Record implements Format. The line has the bytes of the record in the response. Only line breaks between the values
// of free-form JSON become spaces.
func (f Lines) Record(to *bytes.Buffer, _ *Table, record wire.Value, _ []ast.Path) {
	start := to.Len()
	to.Write(record.Bytes())
	line := to.Bytes()[start:]
	if bytes.ContainsAny(line, "\r\n") {
		for i, c := range line {
			if c == '\r' || c == '\n' {
				line[i] = ' '
			}
		}
	}
	to.WriteByte('\n')
}

// The members of the last line, and of lines between the records. They are no response keys, so no record has them.
const (
	EndKey      = "@download"
	ProgressKey = "@progress"
)

// End implements Format.
func (f Lines) End(to *bytes.Buffer, end End) (said bool) { return AppendLine(to, EndKey, end) }

// AppendLine appends a line that is no record. It reports whether it did.
func AppendLine[T any](to *bytes.Buffer, key string, value T) bool {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(map[string]T{key: value}) == nil // the gateway made the value
}
