package websocket

import (
	"net/http"

	"github.com/gobwas/ws"

	"pixgraph/graph/apierror"
	"pixgraph/upstream/live"
)

// CloseError is why the gateway closes a WebSocket: a close code (RFC 6455, section 7.4, and those of
// graphql-transport-ws), and a reason of at most 123 bytes for the developers of clients.
type CloseError struct {
	Code   int
	Reason string
}

// Error implements error.
func (e *CloseError) Error() string { return e.Reason }

// The reasons why a connection is closed. docs/errors.md says after which of them npm graphql-ws connects again.
var (
	closeProtocolError = &CloseError{int(ws.StatusProtocolError), "the frames violate RFC 6455"}
	closeSlow          = &CloseError{int(ws.StatusProtocolError), "a message did not arrive in time"}
	closeBinary        = &CloseError{int(ws.StatusUnsupportedData), "send text messages"}
	closeText          = &CloseError{int(ws.StatusInvalidFramePayloadData), "the text is not UTF-8"}
	closeTooBig        = &CloseError{int(ws.StatusMessageTooBig), "the message is too large"}
	closeFault         = &CloseError{int(ws.StatusInternalServerError), "internal error"}
	closeSilent        = &CloseError{int(ws.StatusGoingAway), "the client does not respond to pings"}
	closeNormal        = &CloseError{int(ws.StatusNormalClosure), ""}
	closeLifetime      = &CloseError{1012, "connect again"}
	closeDrain         = &CloseError{1012, "connect again"} // the gateway shuts down
	closeUnverified    = &CloseError{1012, "connect again: the client certificate must be verified again"}
	closeNoMemory      = &CloseError{1013, apierror.NoMemory.Message}

	closeInvalid     = &CloseError{4400, "invalid message"}
	closeNotAccepted = &CloseError{4401, "subscribe only after connection_ack"}
	closeExpired     = &CloseError{4403, "the token has expired: connect with a new one"}
	closeProtocol    = &CloseError{4406, "the subprotocol must be graphql-transport-ws (npm graphql-ws); graphql-ws is an older protocol"}
	closeNoInit      = &CloseError{4408, "connection_init did not arrive in time"}
	closeSameID      = &CloseError{4409, "an operation with this id is running"}
	closeSecondInit  = &CloseError{4429, "more than one connection_init"}
)

// The reasons why no connection is opened, or no operation begun.
var (
	errOrigin = &apierror.Error{
		Status: http.StatusForbidden, Code: apierror.Forbidden, Message: "pages of this origin may not use the gateway",
	}
	errNoProtocol = &apierror.Error{
		Status: http.StatusBadRequest, Code: apierror.BadRequest, Message: "Sec-WebSocket-Protocol must have graphql-transport-ws",
	}
	errDraining       = apierror.Busy(live.ErrDraining.Error())
	errManyOperations = manyOperations()
)

// LimitOperations is the name in errors of the limit of the operations that a WebSocket executes at a time.
const LimitOperations = "socketOperations"

// manyOperations returns the error for an operation without a slot. It is temporary, unlike those of other limits.
func manyOperations() *apierror.Error {
	err := apierror.Busy("too many operations of one WebSocket at the same time")
	err.Limit, err.Max = LimitOperations, maxExecuting
	return err
}

// end returns the reason of the ends of the streams of a connection that is closed.
func (e *CloseError) end() live.End {
	switch e {
	case closeDrain:
		return live.EndDrain
	case closeLifetime:
		return live.EndLifetime
	case closeExpired:
		return live.EndExpired
	default:
		return live.EndClient
	}
}
