package serve

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"io"
	"net/http"
	"strings"

	"pixgraph/upstream/live"
	"pixgraph/upstream/pix"
)

// nudges receives webhooks at /nudge/<secret>: POST with the secret is always 204, everything else is 404. A webhook is
// only a hint that a record may have changed: the contract shows neither a payload nor a signature (spec 6), so what
// the record says is read from the API. The path must not be logged, because it has the secret.
type nudges struct {
	secret [sha256.Size]byte // its digest, so that the comparison takes the same time for every length
	engine *live.Engine
	// bodies bounds the webhooks that are read at the same time; others are dropped. Each has maxNudgeBody bytes and
	// maxNudgeIDs ids at most, and a sender needs the secret. The end of each request frees its place.
	bodies chan struct{}
}

const (
	maxNudgeBody   = 64 << 10
	maxNudgeBodies = 64
	maxNudgeIDs    = 1000 // of one body, at most 128 bytes each; the engine wakes as many records per second
)

func newNudges(secret string, engine *live.Engine) *nudges {
	return &nudges{sha256.Sum256([]byte(secret)), engine, make(chan struct{}, maxNudgeBodies)}
}

// ServeHTTP implements http.Handler.
func (n *nudges) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	given := sha256.Sum256([]byte(r.PathValue("secret")))
	if subtle.ConstantTimeCompare(given[:], n.secret[:]) != 1 || r.Method != http.MethodPost {
		notFound(w, r)
		return
	}
	select {
	case n.bodies <- struct{}{}:
		n.read(r.Body)
		<-n.bodies
	default:
	}
	w.WriteHeader(http.StatusNoContent)
}

// read wakes the records whose ids are in the first part of a body.
func (n *nudges) read(body io.Reader) {
	if !n.engine.Nudges() {
		return
	}
	text, _ := io.ReadAll(io.LimitReader(body, maxNudgeBody)) // what arrived is enough
	found := idSet{}
	found.addUUIDs(text)
	found.addMembers(text)
	for id := range found {
		n.engine.Nudge(id)
	}
}

// idSet is the ids in a body, at most maxNudgeIDs.
type idSet map[string]struct{}

// add adds an id, and reports whether there is space for more. UUIDs are case-insensitive, other ids may not be.
func (s idSet) add(id string) bool {
	s[id] = struct{}{}
	s[strings.ToLower(id)] = struct{}{}
	return len(s) < maxNudgeIDs
}

// addUUIDs adds the UUIDs in a text of any format.
func (s idSet) addUUIDs(text []byte) {
	const first, length = 8, 36 // digits before the first hyphen, characters in all
	for at := 0; ; at++ {
		hyphen := bytes.IndexByte(text[at:], '-')
		if hyphen < 0 {
			return
		}
		at += hyphen
		begin := at - first
		if begin < 0 || begin+length > len(text) {
			continue
		}
		if id := string(text[begin : begin+length]); pix.ValidUUID(id) && !s.add(id) {
			return
		}
	}
}

// addMembers adds the strings at members of JSON objects whose names end in "id". The text may be cut. What has escapes
// is no id.
func (s idSet) addMembers(text []byte) {
	const maxID = 128
	var name, between []byte // two quotation marks before the value, and one
	for value := range bytes.SplitSeq(text, []byte(`"`)) {
		named := len(name) >= 2 && bytes.EqualFold(name[len(name)-2:], []byte("id")) && string(bytes.TrimSpace(between)) == ":"
		if named && len(value) > 0 && len(value) <= maxID && !s.add(string(value)) {
			return
		}
		name, between = between, value
	}
}
