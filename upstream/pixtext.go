package upstream

import (
	"bytes"
	"encoding/json"

	"pixgraph/upstream/pix"
	"pixgraph/upstream/wire"
)

// BRCode is what the text of a Pix code says (derived from PixResponse.uri).
type BRCode struct{ Raw }

// PixKeyText is what a text says as a Pix key.
type PixKeyText struct{ Raw }

// ParsePixKey reads a text that is not from an API as a Pix key.
func ParsePixKey(text string) *PixKeyText {
	return parsed[PixKeyText](appendJSON(nil, pix.ParseKey(text)))
}

// ParseBRCode reads a text that is not from an API as a Pix code.
func ParseBRCode(text string) *BRCode { return parsed[BRCode](appendBRCodeText(nil, text)) }

// parsed returns what was decoded from a text.
func parsed[T Resource](decoded []byte) *T {
	value, err := wire.Index(decoded)
	if err != nil {
		panic("upstream: a decoded text is not JSON") // a bug
	}
	return ResourceOf[T](Raw{Value: value})
}

// appendBRCode is the derivation of PixResponse.brCode.
func appendBRCode(to []byte, response Raw) ([]byte, error) {
	uri, err := response.Text("uri", true)
	if err != nil {
		return nil, err
	}
	return appendBRCodeText(to, decoded(uri)), nil
}

func appendBRCodeText(to []byte, text string) []byte {
	code := struct {
		pix.BRCodeText
		Amount     *int64       `json:"amount,omitempty"`
		KeyText    *pix.KeyText `json:"keyText,omitempty"`
		WellFormed bool         `json:"wellFormed"`
	}{BRCodeText: pix.ParseBRCode(text)}
	if code.HasAmount {
		code.Amount = &code.Cents
	}
	if code.Key != "" {
		key := pix.ParseKey(code.Key)
		code.KeyText = &key
	}
	code.WellFormed = len(code.Problems) == 0
	return appendJSON(to, code)
}

// appendEndToEndID and appendEndToEndRefundID are the derivations of endToEndId and endToEndRefundId.
func appendEndToEndID(to []byte, record Raw) ([]byte, error) {
	return appendEndToEnd(to, record, "endToEnd")
}

func appendEndToEndRefundID(to []byte, record Raw) ([]byte, error) {
	return appendEndToEnd(to, record, "endToEndRefund")
}

func appendEndToEnd(to []byte, record Raw, member string) ([]byte, error) {
	text, err := record.Text(member, false)
	if text == nil {
		return nil, err
	}
	id := struct {
		pix.EndToEndText
		WellFormed bool `json:"wellFormed"`
	}{EndToEndText: pix.ParseEndToEndID(decoded(text))}
	id.WellFormed = len(id.Problems) == 0
	return appendJSON(to, id), nil
}

// maxDecoded is the number of bytes of a JSON string that are decoded for a parser: enough for the longest text that
// any parser reads, with each character as an escape. Of a longer one, the parsers say only that it is too long.
const maxDecoded = 6*(pix.MaxBRCode+1) + 2

// decoded returns the text for a parser.
func decoded(text Text) string {
	if len(text) > maxDecoded {
		return string(text[1:maxDecoded])
	}
	return text.String()
}

// appendJSON appends a value that consists of strings, numbers and booleans, with characters that only HTML would
// escape.
func appendJSON(to []byte, value any) []byte {
	buffer := bytes.NewBuffer(to)
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic("upstream: a decoded text cannot be written") // a bug
	}
	return buffer.Bytes()
}
