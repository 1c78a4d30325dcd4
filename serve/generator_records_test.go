package serve_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"pixgraph/sandbox/ledger"
	"pixgraph/upstream/wire"
)

// The ids in generated queries.
const (
	transactionA  = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeee1"
	transactionB  = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeee2"
	withdrawalA   = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeee3"
	notificationA = "n-1"
	notificationB = "n-2"
)

// bodies are the stand-in's responses.
func (g generator) bodies() map[string][]byte {
	page := func(kind ledger.Kind) []byte {
		var records [][]byte
		if kind == ledger.Withdrawal && g.IntN(3) > 0 {
			records = append(records, g.single(kind, withdrawalA))
		}
		for range g.IntN(6) {
			records = append(records, g.record(kind))
		}
		body := fmt.Appendf(nil, `{"total":%d,"totalPages":%d,"currentPage":1,"perPage":20,"data":[%s]}`,
			100*g.stage+g.IntN(50), g.IntN(4), bytes.Join(records, []byte(",")))
		if g.IntN(12) == 0 {
			body = g.breakValue(body)
		}
		return body
	}
	return map[string][]byte{
		"/deposit": page(ledger.Deposit), "/withdrawal": page(ledger.Withdrawal),
		"/transaction/" + transactionA: g.single(ledger.Transaction, transactionA),
		"/transaction/" + transactionB: g.single(ledger.Transaction, transactionB),
		"/request/" + notificationA:    g.single(ledger.Notification, notificationA),
		"/request/" + notificationB:    g.single(ledger.Notification, notificationB),
	}
}

// single is a record with an id, nearly always. It shows the stage, if there is one.
func (g generator) single(kind ledger.Kind, id string) []byte {
	record := g.record(kind)
	end := bytes.LastIndexByte(record, '}')
	if g.IntN(20) == 0 || end <= 0 {
		return record
	}
	referenceID := []string{transactionA, strings.ToUpper(transactionB), "x", transactionA}[g.IntN(4)]
	record = fmt.Appendf(nil, `%s,"id":%q,"referenceId":%q}`, record[:end], id, referenceID) // the last of duplicate members counts
	if g.stage > 0 {
		record = fmt.Appendf(record[:len(record)-1], `,"feeAmount":%d,"error":"%[1]d"}`, g.stage)
	}
	return record
}

// record is a record of the sandbox, with errors more often than not.
func (g generator) record(kind ledger.Kind) []byte {
	records := g.d.records[kind]
	record := records[g.IntN(len(records))]
	for _, text := range []string{`"uri":"`, `"endToEnd":"`, `"endToEndRefund":"`} {
		if before, after, ok := bytes.Cut(record, []byte(text)); ok && g.IntN(2) == 0 { // a character of a text that is decoded
			at := g.IntN(bytes.IndexByte(after, '"') + 1)
			with := []string{"", "0", "99", " ", "é", `\"`, `\u0000`, `\ud83d\ude00`, "\u2028"}[g.IntN(9)]
			record = slices.Concat(before, []byte(text), after[:at], []byte(with), after[at:])
		}
	}
	for g.IntN(2) == 0 {
		record = g.breakValue(record)
	}
	if g.IntN(40) == 0 {
		record = bytes.Clone(record)
		record[g.IntN(len(record))] = byte(g.IntN(256))
	}
	return record
}

// replacements are values that replace others.
var replacements = []string{
	`null`, `true`, `0`, `-0`, `1500.0`, `1.5e3`, `12.5`, `9007199254740993`, `9223372036854775807`, `9223372036854775808`, `1E400`, `1e-400`,
	`""`, `"PAID"`, `"P\u0041ID"`, `"UNKNOWN"`, `"NEW"`, `"\u00e9\/\n<é>"`, `"\ud800"`, `"\ud83d\ude00"`, "\"\xff\"", `"` + strings.Repeat("x", 300) + `"`,
	`[]`, `[null]`, `["a",5,null,"\u0041"]`, `[{}]`, `[{"status":"PAID","date":"d","durationInMilliseconds":1},5]`,
	`{}`, `{"value":"v","type":"t"}`, `{"value":5}`,
	`{"value":"v","value":null}`, `{"a":{"b":[[[[]]]]}}`, ` { "value" : "v" } `, `[` + strings.Repeat("[", 50) + strings.Repeat("]", 50) + `]`, `tru`, ``, `"a`,
}

// breakValue replaces, duplicates or removes a value of a document.
func (g generator) breakValue(document []byte) []byte {
	spans := valuesOf(document)
	if len(spans) == 0 {
		return document
	}
	s := spans[g.IntN(len(spans))]
	value := []byte(replacements[g.IntN(len(replacements))])
	switch g.IntN(6) {
	case 0: // a duplicate of the member
		if s.member {
			name := document[s.name : s.start-1]
			return bytes.Join([][]byte{document[:s.name], name, []byte(":"), value, []byte(","), document[s.name:]}, nil)
		}
	case 1: // without the member
		if s.member && s.end < len(document) && document[s.end] == ',' {
			return append(bytes.Clone(document[:s.name]), document[s.end+1:]...)
		}
	case 2: // the name with an escape
		if s.member && document[s.name] == '"' {
			escaped := fmt.Sprintf(`"\u%04x`, document[s.name+1])
			return bytes.Join([][]byte{document[:s.name], []byte(escaped), document[s.name+2:]}, nil)
		}
	}
	return bytes.Join([][]byte{document[:s.start], value, document[s.end:]}, nil)
}

// valueSpan is the position of a value, and of the name if it is a member.
type valueSpan struct {
	name, start, end int
	member           bool
}

// valuesOf finds the values in a document, at every level.
func valuesOf(document []byte) []valueSpan {
	value, err := wire.Index(document)
	if err != nil {
		return nil
	}
	return partsOf(document, value, nil)
}

func partsOf(document []byte, value wire.Value, found []valueSpan) []valueSpan {
	parts, err := value.Members()
	member := err == nil
	if !member {
		if parts, err = value.Elements(); err != nil {
			return found
		}
	}
	for parts.Next() {
		raw := parts.Value().Bytes()
		start := positionOf(document, raw)
		s := valueSpan{0, start, start + len(raw), false}
		if member {
			s.name, s.member = nameBefore(document, start), document[start-1] == ':'
		}
		found = partsOf(document, parts.Value(), append(found, s))
	}
	return found
}

// nameBefore is the position of the quote before the name of a member, from the position of its value.
func nameBefore(document []byte, value int) int {
	end := bytes.LastIndexByte(document[:value], '"')
	return max(bytes.LastIndexByte(document[:max(end, 0)], '"'), 0)
}

// positionOf is the position of a part of a document.
func positionOf(document, part []byte) int {
	return int(uintptr(unsafe.Pointer(&part[0])) - uintptr(unsafe.Pointer(&document[0])))
}
