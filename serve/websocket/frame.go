package websocket

import (
	"bytes"
	"errors"
	"io"

	"github.com/gobwas/ws"

	"pixgraph/internal/quota"
	"pixgraph/serve/envelope"
	"pixgraph/serve/message"
	"pixgraph/serve/stream"
)

// read reads a message of at most limit bytes into a buffer, and handles the control frames before its last fragment.
// Without a message, if the first frame is a control frame, the buffer stays empty. The account is charged as the bytes
// arrive. An error is a *CloseError, or one of the connection.
func (c *connection) read(to *bytes.Buffer, limit int64, account *quota.Account) error {
	state := ws.StateServerSide
	for {
		header, err := ws.ReadHeader(c.in)
		switch {
		case errors.Is(err, ws.ErrHeaderLengthMSB) || err == nil && ws.CheckHeader(header, state) != nil:
			return closeProtocolError
		case err != nil:
			return err
		case header.OpCode.IsControl():
			if err := c.control(header); err != nil || !state.Fragmented() {
				return err
			}
			continue
		case header.OpCode == ws.OpBinary:
			return closeBinary
		case header.Length > limit-int64(to.Len()):
			return closeTooBig
		}
		begin := to.Len()
		_, err = to.ReadFrom(message.NewReader(c.in, header.Length, account))
		switch {
		case errors.Is(err, quota.ErrExhausted):
			return closeNoMemory
		case err != nil:
			return err
		case int64(to.Len()-begin) != header.Length:
			return io.ErrUnexpectedEOF
		}
		ws.Cipher(to.Bytes()[begin:], header.Mask, 0)
		if header.Fin {
			break
		}
		state = state.Set(ws.StateFragmented)
	}
	switch {
	case account.Received() != nil:
		return closeNoMemory
	case to.Len() == 0:
		return closeInvalid
	}
	return nil
}

// control handles a control frame whose header is valid.
func (c *connection) control(header ws.Header) error {
	var space [ws.MaxControlFramePayloadSize]byte
	payload := space[:header.Length]
	if _, err := io.ReadFull(c.in, payload); err != nil {
		return err
	}
	ws.Cipher(payload, header.Mask, 0)
	switch header.OpCode {
	case ws.OpPing:
		return c.write(ws.OpPong, payload)
	case ws.OpPong:
		return nil
	}
	c.left = true
	if len(payload) == 0 {
		return closeNormal
	}
	code, reason := ws.ParseCloseFrameData(payload)
	if len(payload) == 1 || ws.CheckCloseFrameData(code, reason) != nil {
		return closeProtocolError
	}
	return &CloseError{Code: int(code)}
}

var errClosed = errors.New("the connection is closed")

// write sends a frame. Nothing is sent after a close frame, or after an error, which closes the connection.
func (c *connection) write(kind ws.OpCode, payload []byte) error {
	frame := envelope.Buffers.Get()
	defer envelope.Buffers.Put(frame)
	_ = ws.WriteHeader(frame, ws.Header{Fin: true, OpCode: kind, Length: int64(len(payload))}) // a buffer accepts every write
	frame.Write(payload)
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.closed {
		return errClosed
	}
	c.closed = kind == ws.OpClose
	if err := stream.WriteInTime(c.conn, frame.Bytes()); err != nil {
		c.closed = true
		_ = c.conn.Close()
		return errClosed
	}
	return nil
}
