package transport

import (
	"bytes"
	"context"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/apierror"
	"pixgraph/graph/execute/download"
	"pixgraph/request"
	"pixgraph/serve/accept"
	"pixgraph/serve/stream"
	"pixgraph/upstream/wire"
)

// Download executes an operation of a call as a download, and writes to the file. If it wrote nothing, it returns the
// response, which has errors and no data.
type Download func(context.Context, *request.Call, *graphql.OperationContext, *File) *graphql.Response

// HeaderTotal is the header with the number of records that the API counts for the file.
const HeaderTotal = "X-Pixgraph-Total"

// The fields of the trailer of a download.
const (
	HeaderComplete = "X-Pixgraph-Complete" // true or false
	HeaderReason   = "X-Pixgraph-Reason"   // a paging.Reason; only if the download is not complete
)

const (
	// FileBuffer is the number of bytes of a file that are sent at a time. The buffer is little larger.
	FileBuffer = 32 << 10
	// pageWriteTimeout bounds the time in which a client accepts a page: 100 deposits with all fields, 400 KB, at 7
	// KB/s.
	pageWriteTimeout = time.Minute
)

// formatOf returns the format that Accept prefers to JSON; nil without one. A range such as text/* names no format.
func formatOf(accepted accept.List) (chosen download.Format) {
	best, json := 0, 0
	for _, element := range accepted {
		name, weight := element.Name, element.Weight
		format := formatNamed(strings.ToLower(name), element.Parameters)
		switch {
		case format != nil && weight > best:
			chosen, best = format, weight
		case strings.EqualFold(name, "application/json"), strings.EqualFold(name, "application/graphql-response+json"):
			json = max(json, weight)
		}
	}
	if best > json {
		return chosen
	}
	return nil
}

// formatNamed returns the format of a media type with its parameters; nil for a type or parameters that no format has.
func formatNamed(name, parameters string) download.Format {
	switch name {
	case "text/csv":
		return csvWith(parameters)
	case "application/x-ndjson", "application/ndjson", "application/jsonl":
		return linesWith(name, parameters)
	}
	return nil
}

// linesWith returns the format for the parameters of lines of JSON: charset, and our progress.
func linesWith(name, parameters string) download.Format {
	_, given, err := mime.ParseMediaType(name + ";" + parameters)
	format := download.Lines{Type: name, Progress: given["progress"] == "1"}
	delete(given, "progress")
	charset, other := given["charset"]
	if err != nil || len(given) > 1 || len(given) == 1 && !other || other && !accept.IsUTF8(charset) {
		return nil
	}
	return format
}

// csvWith returns the format for the parameters of text/csv (RFC 4180, section 3): charset, header, and our bom,
// end and locale.
func csvWith(parameters string) download.Format {
	_, given, err := mime.ParseMediaType("text/csv;" + parameters)
	if err != nil {
		return nil
	}
	var format download.CSV
	if strings.EqualFold(given["locale"], "pt-BR") {
		format.Dialect, format.BOM = download.Portuguese, given["bom"] != "0"
		delete(given, "locale")
	}
	for name, value := range given {
		switch name + "=" + strings.ToLower(value) {
		case "charset=utf-8", "charset=utf8", "header=present", "bom=0", "end=0":
		case "header=absent":
			format.NoHeader = true
		case "bom=1":
			format.BOM = true
		case "end=1":
			format.Ended = true
		default:
			return nil
		}
	}
	return format
}

// errTrailer rejects CSV without a last line for a client of HTTP/1.0, for which the end of the connection is the end
// of the file.
var errTrailer = &apierror.Error{
	Status: http.StatusNotAcceptable, Code: apierror.BadRequest,
	Message: "text/csv needs HTTP/1.1: request text/csv; end=1 or application/x-ndjson, or use HTTP/1.1",
}

// File is the response with a download. Its methods return the first error of the connection.
type File struct {
	responder  *responder
	controller *http.ResponseController
	table      *download.Table
	out        bytes.Buffer
	// Wait is called before the file waits for its client, and resume after it. nil is for nothing.
	Wait func() (resume func())
}

// Begin writes the header. The trailer, for a client that accepts one, says at the end whether the file is complete.
// total is the number of records that the file is to have; nil if it is unknown.
func (f *File) Begin(table *download.Table, total *int64) {
	a := f.responder
	f.table, a.begun = table, true
	header := a.w.Header()
	header["Content-Type"] = []string{a.format.ContentType()}
	header["Content-Disposition"] = []string{`attachment; filename="` + table.FileName(a.format.Extension()) + `"`}
	header["Cache-Control"] = []string{"no-store"}
	// RFC 9110, section 6.5.1. Without TE there may be a proxy that passes no trailers on, such as Varnish, which then
	// fails each file.
	for _, element := range accept.Read(new(accept.Few), a.r.Header["Te"]) {
		if element.Weight > 0 && strings.EqualFold(element.Name, "trailers") {
			header["Trailer"] = []string{HeaderComplete + ", " + HeaderReason}
		}
	}
	if total != nil {
		header[HeaderTotal] = []string{strconv.FormatInt(*total, 10)}
	}
	header["X-Accel-Buffering"] = []string{"no"} // nginx would read ahead of the client
	header["Incremental"] = []string{"?1"}       // other proxies (RFC 10036)
	a.w.WriteHeader(http.StatusOK)
	// The server's deadlines are for one page. The next request on the connection gets new ones.
	_ = f.controller.SetReadDeadline(time.Time{}) // of the read that notices that the client left
	a.format.Begin(&f.out, table)
}

// Page begins a page: the client has time to accept it.
func (f *File) Page() { _ = f.controller.SetWriteDeadline(time.Now().Add(pageWriteTimeout)) }

// Record writes a row: a record, which is null if it cannot be read, with the paths of its errors from the record on.
func (f *File) Record(record wire.Value, errs []ast.Path) error {
	f.responder.format.Record(&f.out, f.table, record, errs)
	if f.out.Len() < FileBuffer {
		return nil
	}
	return f.send()
}

// Progress says how far the file is, if its format does.
func (f *File) Progress(p download.Progress) {
	if lines, ok := f.responder.format.(download.Lines); ok && lines.Progress {
		download.AppendLine(&f.out, download.ProgressKey, p)
	}
}

// Flush sends what was written. Until the next page there is no deadline, at which HTTP/2 would reset the stream.
func (f *File) Flush() error {
	err := f.send()
	if err == nil {
		err = f.whileWaiting(f.controller.Flush)
	}
	_ = f.controller.SetWriteDeadline(time.Time{})
	return err
}

func (f *File) send() error {
	err := f.whileWaiting(func() error {
		_, err := f.responder.w.Write(f.out.Bytes())
		return err
	})
	if f.out.Reset(); f.out.Cap() > 2*FileBuffer { // after a record that is large
		f.out = bytes.Buffer{}
	}
	return err
}

// whileWaiting calls a function that may wait for the client.
func (f *File) whileWaiting(write func() error) error {
	if f.Wait != nil {
		defer f.Wait()()
	}
	return write()
}

// End ends the file. If its end is missing and the format cannot say so, the connection breaks: clients drop trailers.
// Fields that Begin has not declared are not sent.
func (f *File) End(end download.End) error {
	f.Page()
	if !f.responder.format.End(&f.out, end) && end.Cut() {
		err := f.Flush()
		stream.Break(f.responder.w)
		return err
	}
	header := f.responder.w.Header()
	header[HeaderComplete] = []string{strconv.FormatBool(end.Complete)}
	if end.Reason != "" {
		header[HeaderReason] = []string{string(end.Reason)}
	}
	return f.send()
}

// failedDownload returns the status of a download that failed before its first record. Clients look at it first.
func failedDownload(failed *apierror.Error) int {
	if failed != nil && failed.Service != "" {
		return http.StatusBadGateway
	}
	return http.StatusBadRequest
}
