package ledger_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pixgraph/sandbox/ledger"
)

// shared is the sandbox's default ledger, for tests that only read.
var shared = sync.OnceValue(func() *ledger.Ledger { return ledger.New(ledger.Config{}) })

func lists(l *ledger.Ledger) map[ledger.Kind][]*ledger.Entry {
	all := map[ledger.Kind][]*ledger.Entry{}
	for _, kind := range ledger.Kinds() {
		all[kind] = l.List(kind)
	}
	return all
}

func TestNew(t *testing.T) {
	l := shared()
	anchor := time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)
	for kind, entries := range lists(l) {
		t.Run(kind.String(), func(t *testing.T) {
			if len(entries) != ledger.DefaultRecords {
				t.Errorf("%d records, want %d", len(entries), ledger.DefaultRecords)
			}
			ids := map[string]bool{}
			for i, e := range entries {
				if i > 0 && e.CreatedAt.After(entries[i-1].CreatedAt) {
					t.Errorf("record %d is newer than the one before", i)
				}
				if !e.CreatedAt.Before(anchor) {
					t.Errorf("the date of record %d is %v, not before %v", i, e.CreatedAt, anchor)
				}
				if ids[e.ID] {
					t.Errorf("id %s occurs twice", e.ID)
				}
				ids[e.ID] = true
				for _, id := range []string{e.ID, strings.ToUpper(e.ID)} {
					if found, ok := l.Find(kind, id); !ok || found != e {
						t.Errorf("lookup of %s does not find the record", id)
					}
				}
			}
			if e, ok := l.Find(kind, "00000000-0000-4000-8000-000000000000"); ok {
				t.Errorf("lookup of an unknown id finds %s", e.ID)
			}
		})
	}
}

func TestSameConfigGivesSameBytes(t *testing.T) {
	stepped := func(seed uint64) map[ledger.Kind][]*ledger.Entry {
		l := ledger.New(ledger.Config{Seed: seed, Records: 40})
		for range 3 {
			l.Step()
		}
		return lists(l)
	}
	a, b, other := stepped(7), stepped(7), stepped(8)
	for kind := range a {
		if !slices.EqualFunc(a[kind], b[kind], func(x, y *ledger.Entry) bool { return bytes.Equal(x.JSON(), y.JSON()) }) {
			t.Errorf("%s: the same Config gives different bytes", kind)
		}
		for i, e := range a[kind] {
			if e.ID == other[kind][i].ID {
				t.Errorf("%s: another seed gives the same id %s", kind, e.ID)
			}
		}
	}
}

func TestFewRecords(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 17} {
		l := ledger.New(ledger.Config{Records: n})
		for kind, entries := range lists(l) {
			if len(entries) != n {
				t.Errorf("%d records of kind %s, want %d", len(entries), kind, n)
			}
		}
		l.Step()
	}
}

// TestEntryAgreesWithItsJSON: the fields of an Entry are those of its record, and NewEntry reads all of them.
func TestEntryAgreesWithItsJSON(t *testing.T) {
	text := func(v any) string { s, _ := v.(string); return s }
	for kind, entries := range lists(shared()) {
		for i, r := range sharedRecords()[kind] {
			e := entries[i]
			key, _ := r["pixKey"].(map[string]any)
			back := ledger.NewEntry(e.JSON())
			for _, f := range []struct{ name, entry, json string }{
				{"id", e.ID, text(r["id"])},
				{"createdAt", e.CreatedAt.Format("2006-01-02T15:04:05.000Z"), text(r["createdAt"])},
				{"status", e.Status, text(r["status"])},
				{"depositOrigin", e.Text("depositOrigin"), text(r["depositOrigin"])},
				{"pixKey", e.Text("pixKey.key"), text(key["key"])},
				{"endToEnd", e.Text("endToEnd"), text(r["endToEnd"])},
				{"endToEndRefund", e.Text("endToEndRefund"), text(r["endToEndRefund"])},
				{"externalCode", e.Text("externalCode"), text(r["externalCode"])},
				{"referenceId", e.Text("referenceId"), text(r["referenceId"])},
			} {
				if f.entry != f.json {
					t.Fatalf("%s %s: %s is %q, in JSON %q", kind, e.ID, f.name, f.entry, f.json)
				}
			}
			for _, field := range reflect.VisibleFields(reflect.TypeFor[ledger.Entry]()) {
				made, reread := reflect.ValueOf(e).Elem().FieldByIndex(field.Index), reflect.ValueOf(back).Elem().FieldByIndex(field.Index)
				if field.IsExported() && !made.Equal(reread) {
					t.Fatalf("%s %s: %s is %v, and %v read by NewEntry", kind, e.ID, field.Name, made, reread)
				}
			}
			if !bytes.Equal(back.JSON(), e.JSON()) {
				t.Fatalf("%s %s: NewEntry has different bytes", kind, e.ID)
			}
		}
	}
}

func TestPut(t *testing.T) {
	l := ledger.New(ledger.Config{Records: 20})
	before := l.Deposits()
	kept := slices.Clone(before)
	target := before[7]

	broken := []byte(`{"id":"` + strings.ToUpper(target.ID) + `","amount":12.5,"status":5`)
	e := ledger.NewEntry(broken)
	if e.ID != "" || !e.CreatedAt.IsZero() {
		t.Errorf("NewEntry of broken JSON reads %q, %v", e.ID, e.CreatedAt)
	}
	e.ID = strings.ToUpper(target.ID)
	l.Put(ledger.Deposit, e)
	if got := l.Deposits(); len(got) != 20 || got[7] != e || !bytes.Equal(got[7].JSON(), broken) {
		t.Errorf("the new record is not in the place of the replaced one")
	}
	if got, _ := l.Find(ledger.Deposit, target.ID); got != e {
		t.Errorf("lookup finds %v", got.ID)
	}
	if !slices.Equal(before, kept) {
		t.Error("Put changed a snapshot")
	}

	fresh := ledger.NewEntry([]byte(`{"id":"x","amount":"7","status":"NEW"}`))
	l.Put(ledger.Deposit, fresh)
	if got := l.Deposits(); len(got) != 21 || got[0] != fresh || fresh.Status != "NEW" || fresh.Amount != 0 {
		t.Errorf("a record without a date is not first, or has wrong fields: %+v", got[0].ID)
	}
	old := ledger.NewEntry([]byte(`{"id":"y","createdAt":"2001-01-01T00:00:00-03:00"}`))
	l.Put(ledger.Deposit, old)
	if got := l.Deposits(); got[len(got)-1] != old || old.CreatedAt.Hour() != 3 {
		t.Error("an old record is not last")
	}
	if _, ok := l.Find(ledger.Transaction, "x"); ok {
		t.Error("a deposit is found as a transaction")
	}
}
