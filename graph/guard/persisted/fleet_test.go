package persisted_test

import (
	"crypto/sha256"
	"testing"

	"pixgraph/graph/guard/persisted"
	"pixgraph/request"
)

// others is the documents of other replicas.
type others struct {
	texts                map[[sha256.Size]byte]string
	searches, registered int
}

// Document implements persisted.Fleet.
func (o *others) Document(_ *request.Call, hash [sha256.Size]byte) (text string, ok bool) {
	o.searches++
	text, ok = o.texts[hash]
	return text, ok
}

// Register implements persisted.Fleet.
func (o *others) Register(_ *request.Call, hash [sha256.Size]byte, text string) {
	o.registered++
	o.texts[hash] = text
}

// TestDocumentsOfOthers: a document that is registered at one replica runs at another one, is searched for once, and is
// not written again.
func TestDocumentsOfOthers(t *testing.T) {
	fleet := &others{texts: map[[sha256.Size]byte]string{}}
	config := persisted.Config{Fleet: fleet}
	first, second := serve(t, config), serve(t, config)
	first.register(nameDocument)
	if fleet.registered != 1 {
		t.Fatalf("registered %d times", fleet.registered)
	}
	fleet.searches = 0
	for range 3 {
		if got := second.post(hashed(hashOf(nameDocument), "")); got.ran != nameDocument {
			t.Fatalf("%+v", got)
		}
	}
	if got := second.post(encode(map[string]string{"documentId": "sha256:" + hashOf(nameDocument)})); got.ran != nameDocument {
		t.Errorf("by documentId: %+v", got)
	}
	if fleet.searches != 1 || fleet.registered != 1 {
		t.Errorf("%d searches, registered %d times; want 1 each", fleet.searches, fleet.registered)
	}
	if got := serve(t, config).post(encode(map[string]string{"documentId": "sha256:" + hashOf(nameDocument)})); got.ran != nameDocument {
		t.Errorf("by documentId first: %+v", got)
	}
}

// TestInvalidDocumentsOfOthers: a document of others is validated as one of a client, and is not stored if it is
// invalid.
func TestInvalidDocumentsOfOthers(t *testing.T) {
	const invalid = "{ unknown }"
	fleet := &others{texts: map[[sha256.Size]byte]string{sha256.Sum256([]byte(invalid)): invalid}}
	s := serve(t, persisted.Config{Fleet: fleet})
	for want := 1; want <= 2; want++ {
		if got := s.post(hashed(hashOf(invalid), "")); got.ran != "" || got.code != "GRAPHQL_VALIDATION_FAILED" || fleet.searches != want {
			t.Errorf("%+v, %d searches", got, fleet.searches)
		}
	}
}

// TestNoDocumentsOfOthers: with persisted_only, documents of other replicas are not used.
func TestNoDocumentsOfOthers(t *testing.T) {
	fleet := &others{texts: map[[sha256.Size]byte]string{sha256.Sum256([]byte(nameDocument)): nameDocument}}
	manifest := write(t, encode(relay{"find": findDocument}))
	s := serve(t, persisted.Config{Only: persisted.OnlyOn, Manifests: []string{manifest}, Log: quiet(), Fleet: fleet})
	for _, body := range []string{hashed(hashOf(nameDocument), ""), hashed(hashOf(nameDocument), nameDocument)} {
		if got := s.post(body); got.ran != "" && body == hashed(hashOf(nameDocument), "") || fleet.searches+fleet.registered > 0 {
			t.Errorf("%+v, %d searches, %d registered", got, fleet.searches, fleet.registered)
		}
	}
}
