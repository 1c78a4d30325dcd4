package pix

import (
	"cmp"
	"fmt"
)

// Bounds of the BR Code manual, in bytes: every text in it is ASCII.
const (
	maxName       = 25
	maxCity       = 15
	maxTxID       = 25
	maxPostalCode = 10
	maxAmount     = 13 // digits and a dot
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

// Encode returns the code as text with its CRC. What ParseBRCode would not read back without a problem is an error.
func (c BRCode) Encode() (string, error) {
	initiation, amount := "", ""
	if c.OneTime {
		initiation = "12"
	}
	if c.Cents > 0 {
		amount = fmt.Sprintf("%d.%02d", c.Cents/100, c.Cents%100)
	}
	text := field("00", "01") + field("01", initiation) +
		field("26", field("00", pixGUI)+field("25", c.URL)+field("01", c.Key)+field("02", c.Description)) +
		field("52", "0000") + field("53", currencyBRL) + field("54", amount) + field("58", countryBR) +
		field("59", c.Name) + field("60", c.City) + field("62", field("05", cmp.Or(c.TxID, noTxID))) + "6304"
	text += fmt.Sprintf("%04X", crc16(text))
	if read := ParseBRCode(text); read.BRCode != c || len(read.Problems) > 0 {
		return "", fmt.Errorf("pix: not a valid br code: %v", read.Problems)
	}
	return text, nil
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
