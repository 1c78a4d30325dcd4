package http1

import (
	"context"
	"errors"
	"os"
	"time"
)

// ErrField reports a control character in the request, which could start another line.
var ErrField = errors.New("the request has a control character in it")

// head returns the part of every request after its first line. Without compression it requests identity: without
// Accept-Encoding any coding would be acceptable (RFC 9110, section 12.5.3).
func head(host Field, compression bool, fields []Field) []byte {
	coding := Field{"Accept-Encoding", "identity"}
	if compression {
		coding.Value = "gzip"
	}
	return appendFields(appendFields(nil, []Field{host, coding}), fields)
}

// appendRequest appends a complete request.
func appendRequest(b, head []byte, request *Request) []byte {
	b = append(b, "GET "...)
	b = append(b, request.Target...)
	b = append(b, " HTTP/1.1\r\n"...)
	b = append(b, head...)
	if request.Bearer != "" {
		b = append(b, "Authorization: Bearer "...)
		b = append(b, request.Bearer...)
		b = append(b, "\r\n"...)
	}
	return append(appendFields(b, request.Fields), "\r\n"...)
}

func appendFields(b []byte, fields []Field) []byte {
	for _, field := range fields {
		if field.Value == "" {
			continue
		}
		b = append(b, field.Name...)
		b = append(b, ": "...)
		b = append(b, field.Value...)
		b = append(b, "\r\n"...)
	}
	return b
}

// Check rejects a request whose context or deadline has ended, or that the server would not read as one request.
func (r *Request) Check(ctx context.Context, now time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !now.Before(r.Deadline) {
		return os.ErrDeadlineExceeded
	}
	if !printable(r.Target) || !printable(r.Bearer) {
		return ErrField
	}
	return checkFields(r.Fields)
}

func checkFields(fields []Field) error {
	for _, field := range fields {
		if !printable(field.Name) || !printable(field.Value) {
			return ErrField
		}
	}
	return nil
}

// printable reports whether a text has no control character.
func printable(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] == 0x7F {
			return false
		}
	}
	return true
}
