package pix

import "fmt"

// Bounds of the BR Code manual, in bytes: every text in it is ASCII.
const (
	maxName       = 25
	maxCity       = 15
	maxTxID       = 25
	maxURL        = 77
	maxPostalCode = 10
	maxAmount     = 13 // digits and a dot
	maxField      = 99 // a length has two digits
	maxCents      = 9_999_999_999_99
)

// The values that identify an EMV merchant-presented code of Pix.
const (
	pixGUI      = "br.gov.bcb.pix"
	currencyBRL = "986"
	countryBR   = "BR"
	noTxID      = "***" // the code names no txid: static codes at the counter, and all dynamic ones
)

// BRCode is the content of the copy-and-paste text of a Pix QR code (an EMV merchant-presented code). A static code has
// a Key. A dynamic code has a URL, from which the payer's bank reads the charge.
type BRCode struct {
	Key         string `json:"key,omitempty"`          // the receiver's Pix key, in a static code
	Description string `json:"description,omitempty"`  // for the payer, in a static code
	URL         string `json:"url,omitempty"`          // address of a dynamic code's charge: without a scheme, at most 77 characters
	OneTime     bool   `json:"oneTime"`                // point of initiation 12: the code is paid once
	Cents       int64  `json:"-"`                      // 0 if the payer chooses the amount
	Name        string `json:"merchantName,omitempty"` // of the receiver: at most 25 ASCII characters
	City        string `json:"merchantCity,omitempty"` // of the receiver: at most 15 ASCII characters
	TxID        string `json:"txid,omitempty"`         // at most 25 letters and digits; an empty one is written as ***
}

// Encode returns the code as text with its CRC, or an error that names the invalid field.
func (c BRCode) Encode() (string, error) {
	if err := c.check(); err != nil {
		return "", err
	}
	account := field("00", pixGUI) + field("25", c.URL) + field("01", c.Key) + field("02", c.Description)
	if len(account) > maxField {
		return "", fmt.Errorf("pix: br code: account of %d characters, at most %d", len(account), maxField)
	}
	initiation := ""
	if c.OneTime {
		initiation = "12"
	}
	amount := ""
	if c.Cents > 0 {
		amount = fmt.Sprintf("%d.%02d", c.Cents/100, c.Cents%100)
	}
	txID := c.TxID
	if txID == "" {
		txID = noTxID
	}
	text := field("00", "01") + field("01", initiation) + field("26", account) +
		field("52", "0000") + field("53", currencyBRL) + field("54", amount) + field("58", countryBR) +
		field("59", c.Name) + field("60", c.City) + field("62", field("05", txID)) + "6304"
	return text + fmt.Sprintf("%04X", crc16(text)), nil
}

func (c BRCode) check() error {
	for _, f := range []struct {
		name, text string
		min, max   int
	}{
		{"key", c.Key, 0, maxEmail},
		{"description", c.Description, 0, maxField},
		{"url", c.URL, 0, maxURL},
		{"name", c.Name, 1, maxName},
		{"city", c.City, 1, maxCity},
		{"txid", c.TxID, 0, maxTxID},
	} {
		if len(f.text) < f.min || len(f.text) > f.max || !printable(f.text) {
			return fmt.Errorf("pix: br code: %s must have %d to %d printable ASCII characters", f.name, f.min, f.max)
		}
	}
	switch {
	case (c.Key == "") == (c.URL == ""):
		return fmt.Errorf("pix: br code: either a key or a url")
	case c.Description != "" && c.URL != "":
		return fmt.Errorf("pix: br code: a dynamic code has no description")
	case c.Cents < 0 || c.Cents > maxCents:
		return fmt.Errorf("pix: br code: amount must be 0 to %d cents", int64(maxCents))
	case !alphanumeric(c.TxID):
		return fmt.Errorf("pix: br code: txid must be letters and digits")
	}
	return nil
}

// field encodes an id, a length and a value; an empty value is omitted.
func field(id, value string) string {
	if value == "" {
		return ""
	}
	return id + fmt.Sprintf("%02d", len(value)) + value
}

func printable(s string) bool {
	return all(s, func(c byte) bool { return ' ' <= c && c <= '~' })
}

func alphanumeric(s string) bool {
	return all(s, func(c byte) bool { return isDigit(c) || isLetter(c) })
}

// crc16 is CRC-16/CCITT-FALSE: polynomial 0x1021, from 0xFFFF, nothing reflected, nothing added at the end.
func crc16(s string) uint16 {
	crc := uint16(0xFFFF)
	for i := range len(s) {
		crc ^= uint16(s[i]) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return crc
}
