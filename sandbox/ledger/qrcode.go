package ledger

import (
	"encoding/base64"
	"strings"
	"sync"
	"time"

	"rsc.io/qr"

	"pixgraph/internal/lru"
	"pixgraph/upstream/pix"
)

// pixResponse is a PixResponse of spec 2.5. The code and its image are created when the record is rendered,
// because an image takes longer than the rest of a record.
type pixResponse struct {
	code    pix.BRCode
	expires string
}

func newPixResponse(d draw, to *merchant, cents int64, at time.Time, byKey bool) pixResponse {
	code := pix.BRCode{Cents: cents, Name: to.brName, City: to.brCity}
	if byKey {
		code.Key, _ = to.key(d).get("key").(string)
		code.TxID = d.text(int(d.between(8, 25)), letterSet)
	} else {
		code.URL, code.OneTime = "pix.example.com/qr/v2/"+d.hex(32), true
	}
	return pixResponse{code, expiry(d, at.Add(time.Hour))}
}

// expire sets when the code of a payment expires.
func (p *payment) expire(d draw, at time.Time) {
	response := p.pixResponse()
	response.expires = expiry(d, at)
	p.set("pixResponse", response)
}

func (p *payment) pixResponse() pixResponse {
	response, _ := p.get("pixResponse").(pixResponse)
	return response
}

// expiry is a plain string: the spec does not define expirationDate as ISO, so some values here are not.
func expiry(d draw, at time.Time) string {
	switch d.r.IntN(10) {
	case 0:
		return at.Format("2006-01-02 15:04:05")
	case 1:
		return at.In(time.FixedZone("", -3*60*60)).Format(time.RFC3339)
	}
	return at.Format("2006-01-02T15:04:05.000Z")
}

// MarshalJSON creates the code and draws its image.
func (r pixResponse) MarshalJSON() ([]byte, error) {
	uri, err := r.code.Encode()
	if err != nil {
		return nil, err
	}
	image, err := imageOf(uri)
	if err != nil {
		return nil, err
	}
	return encode(object{{"uri", uri}, {"qrCodeBase64", image}, {"expirationDate", r.expires}})
}

// qrScale is the width of one module in pixels. It is the smallest that phones read reliably from a screen, because it
// determines the size of the record.
const qrScale = 3

// images caches the images drawn last, by their generated text: at most 4 MiB. The sandboxes of a process that have the
// same seed have the same codes, and a test process has many.
var images = struct {
	sync.Mutex
	*lru.Cache[string, string]
}{Cache: lru.NewCounted[string, string](1_000, nil)}

// imageOf returns the result of drawQR, from the cache if possible.
func imageOf(text string) (string, error) {
	images.Lock()
	image, ok := images.Get(text)
	images.Unlock()
	if ok {
		return image, nil
	}
	image, err := drawQR(text)
	if err == nil {
		images.Lock()
		defer images.Unlock()
		images.Add("", text, image)
	}
	return image, err
}

// drawQR returns the data URI of a PNG with the QR code of the text.
func drawQR(text string) (string, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return "", err
	}
	code.Scale = qrScale
	var b strings.Builder
	b.WriteString("data:image/png;base64,")
	enc := base64.NewEncoder(base64.StdEncoding, &b)
	if _, err := enc.Write(code.PNG()); err != nil {
		return "", err
	}
	if err := enc.Close(); err != nil {
		return "", err
	}
	return b.String(), nil
}
