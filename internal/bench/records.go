package main

import (
	"bytes"
	"fmt"
	"slices"

	"pixgraph/upstream/sandbox/ledger"
)

// How many records there are to ask for.
const (
	distinctSets     = 256 // of variables, per query that has some: the sets of a plan
	notificationsPer = 4   // that refer to one transaction
	widePage         = 100 // records of a list
	narrowPage       = 20
)

// uuidLen is the length of a UUID's text.
const uuidLen = 36

// records are what the stand-in answers with: records of the sandbox's ledger. The same ones are made in every process
// that asks for them.
type records struct {
	sets                  int // of variables
	deposits, withdrawals []*ledger.Entry
	transactions          []*ledger.Entry // one for each set
	notifications         []*ledger.Entry // notificationsPer for each transaction, in its order
}

// newRecords makes the records for so many sets of variables. Nothing is rendered before it is asked for.
func newRecords(sets int) records {
	made := ledger.New(ledger.Config{Records: max(2*sets*notificationsPer, widePage)})
	notifications := slices.DeleteFunc(slices.Clone(made.Notifications()), func(e *ledger.Entry) bool {
		return len(e.ReferenceID) != uuidLen // leads to no payment
	})
	return records{
		sets: sets, deposits: made.Deposits(), withdrawals: made.Withdrawals(),
		transactions:  made.Transactions()[:sets],
		notifications: notifications[:sets*notificationsPer],
	}
}

// The paths of the stand-in's two APIs.
const (
	coreBase       = "/core"
	dispatcherBase = "/dispatcher"
)

func transactionPath(id string) string  { return coreBase + "/transaction/" + id }
func notificationPath(id string) string { return dispatcherBase + "/request/" + id }

func depositsPath(perPage int) string { return fmt.Sprintf("%s/deposit?perPage=%d", coreBase, perPage) }
func withdrawalsPath(perPage int) string {
	return fmt.Sprintf("%s/withdrawal?perPage=%d", coreBase, perPage)
}

// bodies renders all answers by their request targets.
func (r records) bodies() map[string][]byte {
	all := map[string][]byte{}
	for _, size := range []int{narrowPage, widePage} {
		all[depositsPath(size)] = page(r.largest(r.deposits, size))
		all[withdrawalsPath(size)] = page(r.largest(r.withdrawals, size))
	}
	for i, transaction := range r.transactions {
		all[transactionPath(transaction.ID)] = transaction.JSON()
		for _, notification := range r.notifications[i*notificationsPer:][:notificationsPer] {
			all[notificationPath(notification.ID)] = bytes.ReplaceAll(
				notification.JSON(), []byte(notification.ReferenceID), []byte(transaction.ID))
		}
	}
	return all
}

// sampled is how many records the largest are chosen among: drawing their QR codes takes half a second for a thousand.
func (r records) sampled() int { return min(500, max(widePage, 2*r.sets)) }

// largest chooses the records that have the most in them. The sandbox's have every optional field absent now and then, and
// a small QR code; what is asked for is a deposit of about 5 KB.
func (r records) largest(entries []*ledger.Entry, count int) []*ledger.Entry {
	chosen := slices.Clone(entries[:r.sampled()])
	slices.SortStableFunc(chosen, func(a, b *ledger.Entry) int { return len(b.JSON()) - len(a.JSON()) })
	return chosen[:count]
}

// page renders the first page of a list that has several (spec 4.1, 4.2).
func page(entries []*ledger.Entry) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"total":%d,"totalPages":5,"currentPage":1,"perPage":%[2]d,"data":[`, 5*len(entries), len(entries))
	for i, entry := range entries {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(entry.JSON())
	}
	b.WriteString("]}")
	return b.Bytes()
}
