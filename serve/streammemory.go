package serve

import (
	"errors"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/auth"
	"pixgraph/graph/apierror"
	"pixgraph/graph/execute/documents"
	"pixgraph/request"
)

const (
	// streamBytes is the memory of a stream without its document, variables, token and answer: the stream with its
	// connection, its goroutine and its part of the engine, as measured.
	streamBytes = 8 << 10
	// waitBytes is the memory of an operation that waits, in addition to that of its streams: the request and its
	// connection in net/http, with two goroutines, as measured.
	waitBytes = 20 << 10
	// streamShare is the memory that each stream may hold on average.
	streamShare = 2 * streamBytes
	// minStreamMemory is the minimum of a bound, so that a few streams may have large documents.
	minStreamMemory = 4 << 20
)

// limitStreamBytes is the name in errors of the limit of the memory that the streams of one caller hold.
const limitStreamBytes = "liveBytes"

// streamMemory counts the bytes that streams hold as long as they run, and operations as long as they wait. Documents
// are counted once: the first stream of a document is charged for it, until the last one ends. Answers that are being
// computed and sent are not counted here.
//
//   - Key: the caller; the parsed document.
//   - Bound: streamShare for each stream that there may be in all, and of one caller.
//   - Filled by: streams, and operations that wait.
//   - Emptied by: the end of the stream or of the wait.
type streamMemory struct {
	max, maxOfCaller int

	mu        sync.Mutex
	used      int
	callers   map[string]int
	documents map[*ast.QueryDocument]*heldDocument
}

// heldDocument is a document that streams hold.
type heldDocument struct {
	streams, bytes int
	caller         string // that is charged
}

func newStreamMemory(streams, ofCaller int) *streamMemory {
	return &streamMemory{
		max: max(streams*streamShare, minStreamMemory), maxOfCaller: max(ofCaller*streamShare, minStreamMemory),
		callers: map[string]int{}, documents: map[*ast.QueryDocument]*heldDocument{},
	}
}

// hold takes the memory of a stream, or of an operation that waits: bytes, its token and variables, and its document.
func (g *Gateway) hold(call *request.Call, operation *graphql.OperationContext, bytes int) (release func(), err error) {
	bytes += 2*len(call.Identity.Bearer()) + 2*sizeOf(operation.Variables)
	size := int(documents.SizeOf(operation.Operation.Position.Src.Input, operation.Doc))
	h := &heldStream{memory: g.streamMemory, identity: call.Identity, share: call.Share(), bytes: bytes, document: operation.Doc}
	err = g.unaccepted.take(h, h.share, func() error { return h.memory.take(h.share, bytes, h.document, size) })
	if errors.Is(err, errStreamMemory) {
		g.counts.limitHit(limitAllStreams)
	}
	return func() {
		g.unaccepted.end(h)
		h.memory.release(h.share, bytes, h.document)
	}, err
}

// heldStream is what a stream holds.
type heldStream struct {
	memory   *streamMemory
	identity *auth.Identity
	share    string // that is charged
	bytes    int
	document *ast.QueryDocument
}

// settle implements holder.
func (h *heldStream) settle() bool {
	call := request.Call{Identity: h.identity}
	own := call.Share()
	if own == h.share || !h.memory.move(h.share, own, h.bytes, h.document) {
		return false
	}
	h.share = own
	return true
}

var errStreamMemory = apierror.Busy("the streams hold too much memory")

// take takes the memory of a stream: its own bytes, and those of its document unless another stream holds it.
func (m *streamMemory) take(caller string, bytes int, document *ast.QueryDocument, ofDocument int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	held := m.documents[document]
	more := bytes
	if held == nil {
		more += ofDocument
	}
	switch {
	case m.callers[caller]+more > m.maxOfCaller:
		const message = "the streams of one caller hold too much memory: use one document for all"
		return apierror.Exceeds(limitStreamBytes, int64(m.maxOfCaller), message)
	case m.used+more > m.max:
		return errStreamMemory
	}
	m.add(caller, more)
	if held == nil {
		held = &heldDocument{bytes: ofDocument, caller: caller}
		m.documents[document] = held
	}
	held.streams++
	return nil
}

// move charges a stream, and the document if its share was charged for it, to another share, if that has room.
func (m *streamMemory) move(from, to string, bytes int, document *ast.QueryDocument) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	held := m.documents[document]
	if held.caller == from {
		bytes += held.bytes
	}
	if m.callers[to]+bytes > m.maxOfCaller {
		return false
	}
	m.add(from, -bytes)
	m.add(to, bytes)
	if held.caller == from {
		held.caller = to
	}
	return true
}

func (m *streamMemory) release(caller string, bytes int, document *ast.QueryDocument) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(caller, -bytes)
	held := m.documents[document]
	if held.streams--; held.streams == 0 {
		delete(m.documents, document)
		m.add(held.caller, -held.bytes)
	}
}

func (m *streamMemory) add(caller string, bytes int) {
	m.used += bytes
	if m.callers[caller] += bytes; m.callers[caller] == 0 {
		delete(m.callers, caller)
	}
}

// held returns the bytes that all streams hold.
func (m *streamMemory) held() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used
}

// sizeOf estimates the memory of a variable.
func sizeOf(value any) int {
	const word, entry = 8, 64 // an entry of a map, with its spare capacity
	switch value := value.(type) {
	case string:
		return 2*word + len(value)
	case []any:
		size := 3 * word
		for _, element := range value {
			size += 2*word + sizeOf(element)
		}
		return size
	case map[string]any:
		size := 6 * word
		for name, element := range value {
			size += entry + len(name) + sizeOf(element)
		}
		return size
	default:
		return 4 * word
	}
}
