package ledger_test

import (
	"slices"
	"strings"
	"testing"

	"pixgraph/sandbox/ledger"
	"pixgraph/upstream/pix"
)

// hints are the ids in a transaction's metadata, and whether it has the member.
func hints(r map[string]any) (ids []string, has bool) {
	metadata, _ := r["metadata"].(map[string]any)
	list, has := metadata["notificationIds"].([]any)
	for _, id := range list {
		ids = append(ids, id.(string))
	}
	return ids, has
}

func TestTransactionsLeadToTheirNotifications(t *testing.T) {
	l := shared()
	about := map[string][]string{}
	for _, n := range l.Notifications() {
		id := strings.ToLower(n.Text("referenceId"))
		about[id] = append(about[id], n.ID)
	}
	var none, complete, stale, foreign, several int
	for i, r := range sharedRecords()[ledger.Transaction] {
		id := r["id"].(string)
		ids, has := hints(r)
		if !has {
			none++
			continue
		}
		whole := true
		for _, hint := range ids {
			switch n, ok := l.Find(ledger.Notification, hint); {
			case !ok:
				stale++
				whole = false
			case !strings.EqualFold(n.Text("referenceId"), id):
				foreign++
				whole = false
			}
		}
		for _, n := range about[id] {
			if i < 16 && !slices.Contains(ids, n) {
				t.Errorf("the metadata of transaction %d lacks notification %s", i, n)
			}
		}
		if whole {
			complete++
		}
		if len(ids) >= 2 {
			several++
		}
		if i < 16 && len(about[id]) < 3 {
			t.Errorf("transaction %d, one of the first, has %d notifications", i, len(about[id]))
		}
	}
	t.Logf("%d without hints, %d with only correct ones, %d stale, %d of others, %d with several", none, complete, stale, foreign, several)
	if none < 100 || complete < 150 || stale < 20 || foreign < 10 || several < 100 {
		t.Error("too few of one type")
	}
}

func TestNotificationsReferToAllKinds(t *testing.T) {
	l := shared()
	counts := map[string]int{}
	for _, n := range l.Notifications() {
		ref := n.Text("referenceId")
		_, transaction := l.Find(ledger.Transaction, ref)
		_, deposit := l.Find(ledger.Deposit, ref)
		_, withdrawal := l.Find(ledger.Withdrawal, ref)
		switch {
		case transaction && ref == strings.ToUpper(ref):
			counts["transaction in upper case"]++
		case transaction:
			counts["transaction"]++
		case deposit:
			counts["deposit alone"]++
		case withdrawal:
			counts["withdrawal"]++
		case pix.ValidUUID(ref):
			counts["unknown UUID"]++
		case strings.HasPrefix(ref, "order-"):
			counts["order"]++
		default:
			t.Errorf("referenceId %q", ref)
		}
		if len(n.ID) != 24 || pix.ValidUUID(n.ID) || strings.Trim(n.ID, "0123456789abcdef") != "" {
			t.Errorf("notification id %q", n.ID)
		}
	}
	t.Log(counts)
	for what, minimum := range map[string]int{
		"transaction": 1200, "transaction in upper case": 50, "withdrawal": 150, "deposit alone": 30, "order": 50, "unknown UUID": 30,
	} {
		if counts[what] < minimum {
			t.Errorf("%d notifications refer to: %s; want %d", counts[what], what, minimum)
		}
	}
}

func TestDepositsThatAreTransactions(t *testing.T) {
	l := shared()
	shared := 0
	for i, d := range l.Deposits()[:walked] {
		transaction, ok := l.Find(ledger.Transaction, d.ID)
		if !ok {
			continue
		}
		shared++
		x, y := sharedRecords()[ledger.Deposit][i], decode(transaction)
		for field, value := range x {
			if field == "depositOrigin" {
				continue // only deposits have it
			}
			if got, want := jsonOf(t, y[field]), jsonOf(t, value); got != want {
				t.Errorf("deposit %s: %s is %s, in the transaction %s", d.ID, field, want, got)
			}
		}
		if _, ok := l.Find(ledger.Withdrawal, d.ID); ok {
			t.Errorf("deposit %s is a withdrawal too", d.ID)
		}
	}
	if shared < walked/2 || shared > walked*9/10 {
		t.Errorf("%d of %d deposits share their id", shared, walked)
	}
}

// TestContents: some record has each of these texts: free-form metadata, and numbers at the bounds of filters and
// types.
func TestContents(t *testing.T) {
	for kind, texts := range map[ledger.Kind][]string{
		ledger.Transaction: {
			`"metadata":{}`, `"limit":1E400`, `"epsilon":-1e-400`, `"ledgerSequence":9007199254740993`, `"名前"`, `"__proto__":{`,
			`"__typename":`, `"":"a name may be empty"`, `"coupon":null`, `portão azul 🏠 <campainha & interfone>`,
		},
		ledger.Deposit:    {`"amount":1,`, `"amount":10000000,`, `"amount":4294967297,`, `"feeAmount":0.`},
		ledger.Withdrawal: {`"amount":9,`, `"amount":10,`, `"amount":2147483648,`, `.5,"processedDate"`},
	} {
		for _, text := range texts {
			if !slices.ContainsFunc(lists(shared())[kind][:walked], func(e *ledger.Entry) bool { return strings.Contains(string(e.JSON()), text) }) {
				t.Errorf("no %s has %s", kind, text)
			}
		}
	}
}
