package ledger_test

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"pixgraph/sandbox/ledger"
	"pixgraph/upstream/pix"
)

// open is the number of open payments.
const open = 12

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestStepMovesTheOpenPayments(t *testing.T) {
	l := ledger.New(ledger.Config{Records: 60})
	next := map[string]string{"PENDING": "PIX_QRCODE_GENERATED", "PIX_QRCODE_GENERATED": "PAID", "PAID": "PENDING"}
	reached := map[string]int{}
	for range 7 {
		before := lists(l)
		l.Step()
		after := lists(l)
		for kind, entries := range before {
			moved := 0
			for i, old := range entries {
				e := after[kind][i]
				if e == old {
					continue
				}
				moved++
				reached[e.Status]++
				if e.ID != old.ID || !e.CreatedAt.Equal(old.CreatedAt) || e.Status != next[old.Status] {
					t.Errorf("%s %d: %s %s became %s %s", kind, i, old.ID, old.Status, e.ID, e.Status)
				}
				checkMovement(t, decode(old), decode(e))
			}
			want := 0
			if kind == ledger.Deposit || kind == ledger.Transaction {
				want = open
			}
			if moved != want {
				t.Errorf("%d records of kind %s moved, want %d", moved, kind, want)
			}
		}
		for i, d := range l.Deposits() {
			if x, ok := l.Find(ledger.Transaction, d.ID); ok && (x.Status != d.Status || x.Text("endToEnd") != d.Text("endToEnd")) {
				t.Errorf("deposit %d is %s, its transaction %s", i, d.Status, x.Status)
			}
		}
	}
	for status := range next {
		if reached[status] != 7*2*open/3 {
			t.Errorf("%s was reached %d times, want %d", status, reached[status], 7*2*open/3)
		}
	}
}

// checkMovement checks the history and the status of a moved record, and that nothing else changed.
func checkMovement(t *testing.T, old, r map[string]any) {
	t.Helper()
	checkHistory(t, r)
	if !date(t, r["updatedAt"]).After(date(t, old["updatedAt"])) {
		t.Errorf("%v: updatedAt is %v after %v", r["id"], r["updatedAt"], old["updatedAt"])
	}
	paid := r["status"] == "PAID"
	for _, field := range []string{"amountPaid", "paymentDate", "payer", "endToEnd"} {
		if (r[field] != nil) != paid {
			t.Errorf("%v is %v, %s is %v", r["id"], r["status"], field, r[field])
		}
	}
	if paid && (jsonOf(t, r["amountPaid"]) != jsonOf(t, r["amount"]) || r["paymentDate"] != r["updatedAt"] || !isEndToEnd(pix.Payment, r["endToEnd"].(string))) {
		t.Errorf("%v: paid %v at %v, endToEnd %v", r["id"], r["amountPaid"], r["paymentDate"], r["endToEnd"])
	}
	for _, field := range []string{"amount", "createdAt", "externalCode", "receiver", "metadata"} {
		if jsonOf(t, r[field]) != jsonOf(t, old[field]) {
			t.Errorf("%v: %s changed to %v", r["id"], field, r[field])
		}
	}
}

func TestStepUsesTheClock(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	l := ledger.New(ledger.Config{Records: 20, Now: func() time.Time { return now }})
	updated := func() time.Time { // of the first open payment
		return date(t, decode(l.Transactions()[4])["updatedAt"])
	}
	now = now.Add(time.Minute)
	l.Step()
	if got := updated(); !got.Equal(now) {
		t.Errorf("updated at %v, want the clock's %v", got, now)
	}
	l.Step()
	if got := updated(); !got.Equal(now.Add(time.Second)) {
		t.Errorf("updated at %v with the clock at %v, want a second later", got, now)
	}
}

func TestStepDoesNotChangeReplacedRecords(t *testing.T) {
	l := ledger.New(ledger.Config{Records: 20})
	target := l.Deposits()[5]
	mine := ledger.NewEntry(target.JSON())
	l.Put(ledger.Deposit, mine)
	before, _ := l.Find(ledger.Transaction, target.ID)
	for range 3 {
		l.Step()
	}
	if got, _ := l.Find(ledger.Deposit, target.ID); got != mine {
		t.Error("Step replaced a record from Put")
	}
	if got, _ := l.Find(ledger.Transaction, target.ID); got == before {
		t.Error("the transaction of the replaced deposit did not move")
	}
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	l := ledger.New(ledger.Config{Records: 40})
	var readers, writer sync.WaitGroup
	done := make(chan struct{})
	writer.Go(func() {
		defer close(done)
		for i := range 30 {
			l.Step()
			l.Put(ledger.Withdrawal, ledger.NewEntry([]byte(`{"id":"`+string(rune('a'+i%5))+`"}`)))
		}
	})
	for range 3 {
		readers.Go(func() {
			for {
				for _, entries := range lists(l) {
					for _, e := range entries[:20] {
						if len(e.JSON()) == 0 {
							t.Error("a record without JSON")
						}
					}
				}
				if _, ok := l.Find(ledger.Transaction, l.Transactions()[7].ID); !ok {
					t.Error("a listed transaction is not found")
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	writer.Wait()
	readers.Wait()
	if got := len(l.Withdrawals()); got != 45 {
		t.Errorf("%d withdrawals, want 45", got)
	}
}
