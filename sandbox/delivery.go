package sandbox

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"time"
)

const (
	// defaultHuge is more than any client should accept as one response.
	defaultHuge = 256 << 20
	// defaultDrip makes a small record take minutes, which is longer than any deadline.
	defaultDrip = 50 * time.Millisecond
	// streamChunk is the size of the pieces of huge bodies.
	streamChunk = 64 << 10
)

// FaultHuge and FaultGzipBomb put these before and after their filling: the
// result is JSON that is unusual only in its size.
const (
	hugeHead = `{"total":1,"totalPages":1,"currentPage":1,"perPage":1,"data":[],"filling":"`
	hugeTail = `"}`
	htmlBody = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><h1>Sign in</h1></body></html>\n"
)

// exchange is one call whose response is being sent.
type exchange struct {
	sandbox *Sandbox
	w       http.ResponseWriter
	r       *http.Request
	answer  answer
	end     func(status int)
}

// deliver changes the response as the faults specify and sends it as the last kind specifies.
func (x *exchange) deliver(active []*activeFault) {
	var last *activeFault
	for _, f := range active {
		x.answer = f.change(x.answer)
		if f.Kind != FaultNone {
			last = f
		}
	}
	if last == nil {
		x.sandbox.send(x.w, x.r, x.answer, x.end)
		return
	}
	switch last.Kind {
	case FaultReset:
		x.end(0)
		x.reset()
	case FaultResetBody:
		x.part(int64(len(x.answer.body) / 2))
		x.end(x.answer.status)
		x.reset()
	case FaultHang:
		x.hang(last, 0)
	case FaultHangBody:
		x.part(int64(len(x.answer.body) / 2))
		x.hang(last, x.answer.status)
	case FaultTruncate:
		n := last.Size
		if n == 0 {
			n = int64(len(x.answer.body) / 2)
		}
		x.end(x.answer.status)
		x.part(n)
		panic(http.ErrAbortHandler)
	case FaultDrip:
		x.drip(last)
	case FaultHuge:
		x.huge(last.Size)
	case FaultGzipBomb:
		x.bomb(last.Size)
	default: // the kinds that only change the response
		x.sandbox.send(x.w, x.r, x.answer, x.end)
	}
}

// change returns the response a with the changes of the fault.
func (f *Fault) change(a answer) answer {
	a.header = a.header.Clone()
	switch {
	case f.Body != nil:
		a.status, a.body = http.StatusOK, f.Body
	case f.Status != 0:
		a.body = problemAnswer(f.Status, http.StatusText(f.Status)).body
	}
	switch f.Kind {
	case FaultEmpty:
		a.status, a.body = http.StatusOK, nil
	case FaultHTML:
		a.status, a.body = http.StatusOK, []byte(htmlBody)
		a.header.Set("Content-Type", "text/html; charset=utf-8")
	case FaultBadJSON:
		a.body = a.body[:len(a.body)/2]
	case FaultRedirect:
		a.status, a.body = http.StatusFound, nil
		a.header.Set("Location", f.Location)
	}
	if f.Status != 0 {
		a.status = f.Status
	}
	if f.ContentType != "" {
		a.header.Set("Content-Type", f.ContentType)
	}
	for name, values := range f.Header {
		a.header[name] = values
	}
	if f.Mutate != nil {
		a.body = f.Mutate(a.body)
	}
	return a
}

// part announces the length of the whole body and sends at most n bytes of it.
func (x *exchange) part(n int64) {
	h := writeHeader(x.w, x.answer)
	body := x.answer.body
	h.Set("Content-Length", strconv.Itoa(len(body)))
	x.w.WriteHeader(x.answer.status)
	_, _ = x.w.Write(body[:min(n, int64(len(body)))])
	x.flush()
}

func (x *exchange) flush() {
	_ = http.NewResponseController(x.w).Flush() // a closed connection is not a failure of the sandbox
}

// reset hijacks the connection and closes it without lingering, which sends RST instead of FIN.
func (x *exchange) reset() {
	conn, _, err := http.NewResponseController(x.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(interface{ SetLinger(seconds int) error }); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// hang waits until the client is gone, the fault is undone or the sandbox is closed, and then closes the connection.
func (x *exchange) hang(f *activeFault, sent int) {
	select {
	case <-f.undone:
	case <-x.r.Context().Done():
	case <-x.sandbox.stopped:
	}
	x.end(sent)
	panic(http.ErrAbortHandler)
}

// drip sends the body byte by byte. When the fault is undone it sends the rest without delay.
func (x *exchange) drip(f *activeFault) {
	interval := f.Interval
	if interval == 0 {
		interval = defaultDrip
	}
	body := x.answer.body
	x.part(0)
	for i := range body {
		if !x.sandbox.pause(x.r.Context(), f, interval) {
			panic(http.ErrAbortHandler)
		}
		if i == len(body)-1 {
			x.end(x.answer.status)
		}
		if _, err := x.w.Write(body[i : i+1]); err != nil {
			panic(http.ErrAbortHandler)
		}
		x.flush()
	}
	x.end(x.answer.status) // for an empty body
}

// huge streams JSON of size bytes, or as many as the client reads.
func (x *exchange) huge(size int64) {
	if size == 0 {
		size = defaultHuge
	}
	writeHeader(x.w, x.answer)
	x.end(x.answer.status)
	x.w.WriteHeader(x.answer.status)
	filling := bytes.Repeat([]byte("x"), streamChunk)
	pieces := [][]byte{[]byte(hugeHead)}
	left := max(0, size-int64(len(hugeHead)+len(hugeTail)))
	for ; left >= streamChunk; left -= streamChunk {
		pieces = append(pieces, filling)
	}
	pieces = append(pieces, filling[:left], []byte(hugeTail))
	for _, piece := range pieces {
		if _, err := x.w.Write(piece); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
}

// bomb sends JSON of size bytes as gzip members. The member of the filling is
// compressed once and repeated, so the sandbox does not spend the time that the
// client will.
func (x *exchange) bomb(size int64) {
	if size == 0 {
		size = defaultHuge
	}
	filling := bytes.Repeat([]byte("x"), streamChunk)
	left := max(0, size-int64(len(hugeHead)+len(hugeTail)))
	wire := bytes.NewBuffer(gzipMember([]byte(hugeHead)))
	wire.Write(bytes.Repeat(gzipMember(filling), int(left/streamChunk)))
	wire.Write(gzipMember(filling[:left%streamChunk]))
	wire.Write(gzipMember([]byte(hugeTail)))

	h := writeHeader(x.w, x.answer)
	h.Set("Content-Encoding", "gzip")
	h.Set("Content-Length", strconv.Itoa(wire.Len()))
	x.end(x.answer.status)
	x.w.WriteHeader(x.answer.status)
	_, _ = x.w.Write(wire.Bytes())
}

// gzipMember is one member of a gzip file (RFC 1952); a file may have many.
func gzipMember(data []byte) []byte {
	var buf bytes.Buffer
	zw, _ := gzip.NewWriterLevel(&buf, gzip.BestCompression) // the level is valid
	_, _ = zw.Write(data)                                    // a bytes.Buffer does not fail
	_ = zw.Close()
	return buf.Bytes()
}
