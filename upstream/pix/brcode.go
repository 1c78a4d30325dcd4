package pix

import (
	"fmt"
	"strconv"
	"strings"
)

// Bounds of the BR Code manual, in bytes: every text in it is ASCII.
const (
	maxName  = 25
	maxCity  = 15
	maxTxID  = 25
	maxURL   = 77
	maxField = 99 // a length has two digits
	maxCents = 9_999_999_999_99
)

// The values that identify an EMV merchant-presented code of Pix.
const (
	pixGUI      = "br.gov.bcb.pix"
	currencyBRL = "986"
	countryBR   = "BR"
	noTxID      = "***" // the code names no txid: static codes at the counter, and all dynamic ones
)

// BRCode is the content of the copy-and-paste text of a Pix QR code (an EMV
// merchant-presented code). A static code has a Key. A dynamic code has a URL,
// from which the payer's bank reads the charge.
type BRCode struct {
	Key         string // the receiver's Pix key, in a static code
	Description string // for the payer, in a static code
	URL         string // address of a dynamic code's charge: without a scheme, at most 77 characters
	OneTime     bool   // point of initiation 12: the code is paid once
	Cents       int64  // 0 if the payer chooses the amount
	Name        string // of the receiver: at most 25 ASCII characters
	City        string // of the receiver: at most 15 ASCII characters
	TxID        string // at most 25 letters and digits; an empty one is written as ***
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

// ParseBRCode reads a Pix code. It returns an error if the structure, a required
// field or the CRC is invalid. Fields that [BRCode] does not have are ignored.
func ParseBRCode(text string) (BRCode, error) {
	root, err := checkedFields(text)
	if err != nil {
		return BRCode{}, err
	}
	account, err := fields(root["26"])
	if err != nil {
		return BRCode{}, err
	}
	if !strings.EqualFold(account["00"], pixGUI) {
		return BRCode{}, fmt.Errorf("pix: br code: account is not of pix")
	}
	extra, err := fields(root["62"])
	if err != nil {
		return BRCode{}, err
	}
	amount, err := cents(root["54"])
	if err != nil {
		return BRCode{}, err
	}
	c := BRCode{
		Key: account["01"], Description: account["02"], URL: account["25"],
		OneTime: root["01"] == "12", Cents: amount,
		Name: root["59"], City: root["60"], TxID: extra["05"],
	}
	if c.TxID == noTxID {
		c.TxID = ""
	}
	if err := c.check(); err != nil {
		return BRCode{}, err
	}
	return c, nil
}

// checkedFields splits a complete code, and checks what is the same in every Pix code.
func checkedFields(text string) (map[string]string, error) {
	const tail = len("6304FFFF")
	if len(text) < tail || text[len(text)-tail:len(text)-4] != "6304" {
		return nil, fmt.Errorf("pix: br code: no crc at the end")
	}
	if crc, err := strconv.ParseUint(text[len(text)-4:], 16, 16); err != nil || uint16(crc) != crc16(text[:len(text)-4]) {
		return nil, fmt.Errorf("pix: br code: wrong crc")
	}
	root, err := fields(text[:len(text)-tail])
	if err != nil {
		return nil, err
	}
	for _, f := range []struct{ id, value string }{{"00", "01"}, {"53", currencyBRL}, {"58", countryBR}} {
		if root[f.id] != f.value {
			return nil, fmt.Errorf("pix: br code: field %s is not %s", f.id, f.value)
		}
	}
	if len(root["52"]) != 4 || !allDigits(root["52"]) {
		return nil, fmt.Errorf("pix: br code: field 52 is not a category of four digits")
	}
	return root, nil
}

// fields splits a sequence of ids, lengths and values.
func fields(s string) (map[string]string, error) {
	all := make(map[string]string)
	for len(s) > 0 {
		if len(s) < 4 || !allDigits(s[:4]) {
			return nil, fmt.Errorf("pix: br code: an id and a length must be four digits")
		}
		id, size := s[:2], int(s[2]-'0')*10+int(s[3]-'0')
		if s = s[4:]; size == 0 || size > len(s) {
			return nil, fmt.Errorf("pix: br code: field %s has a wrong length", id)
		}
		if _, twice := all[id]; twice {
			return nil, fmt.Errorf("pix: br code: field %s occurs twice", id)
		}
		all[id], s = s[:size], s[size:]
	}
	return all, nil
}

// cents parses an amount in reais, such as 12, 12.3 or 12.34; an empty one is 0.
func cents(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	whole, part, dotted := strings.Cut(s, ".")
	if len(s) > len("9999999999.99") || whole == "" || len(part) > 2 || dotted && part == "" || !allDigits(whole+part) {
		return 0, fmt.Errorf("pix: br code: amount is not reais and cents")
	}
	return strconv.ParseInt(whole+part+"00"[len(part):], 10, 64)
}

func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func alphanumeric(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isDigit(c) && !isUpper(c) && !isLower(c) {
			return false
		}
	}
	return true
}

// crc16 is CRC-16/CCITT-FALSE: polynomial 0x1021, from 0xFFFF, nothing
// reflected, nothing added at the end.
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
