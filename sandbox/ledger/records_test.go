package ledger_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"sync"
	"testing"

	"pixgraph/sandbox/ledger"
)

// walked is the number of records of each kind that are rendered and checked:
// drawing QR images is slow with the race detector. TestEveryBRCode checks that every
// record can be rendered.
const walked = 700

// sharedRecords are the newest records of the shared ledger, decoded once for all tests.
var sharedRecords = sync.OnceValue(func() map[ledger.Kind][]map[string]any { return decodeAll(shared()) })

// decodeAll renders and decodes records, in the order of their lists.
func decodeAll(l *ledger.Ledger) map[ledger.Kind][]map[string]any {
	all := map[ledger.Kind][]map[string]any{}
	for kind, entries := range lists(l) {
		for _, e := range entries[:min(walked, len(entries))] {
			all[kind] = append(all[kind], decode(e))
		}
	}
	return all
}

// decode keeps numbers unparsed. Invalid JSON gives a nil map, which fails every test.
func decode(e *ledger.Entry) map[string]any {
	dec := json.NewDecoder(bytes.NewReader(e.JSON()))
	dec.UseNumber()
	var record map[string]any
	if dec.Decode(&record) != nil {
		return nil
	}
	return record
}

// TestForms: dates, ids and types of accounts have the forms that this ledger chose. The tests of upstream/contract
// compare the records with the contract.
func TestForms(t *testing.T) {
	uuid := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	for kind, records := range sharedRecords() {
		for _, r := range records {
			if id := r["id"].(string); kind != ledger.Notification && !uuid.MatchString(id) {
				t.Errorf("%s %s: not a UUID of version 4 in lower case", kind, id)
			}
			for _, name := range []string{"createdAt", "updatedAt", "date", "paymentDate", "refundDate", "processedDate", "infractionDate"} {
				eachObject(r, name, func(o map[string]any) {
					if o[name] != nil {
						date(t, o[name])
					}
				})
			}
			eachObject(r, "ispb", func(account map[string]any) {
				if !slices.Contains([]string{"CACC", "SVGS", "TRAN", "SLRY"}, account["type"].(string)) {
					t.Errorf("%s: an account of type %v", kind, account["type"])
				}
			})
		}
	}
}
