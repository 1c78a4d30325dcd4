package ledger

import (
	"testing"

	"pixgraph/upstream/pix"
)

// TestEveryBRCode creates the code of every payment, without its image: an
// invalid code is the only error that can prevent the rendering of a record.
func TestEveryBRCode(t *testing.T) {
	for _, seed := range []uint64{0, 1, 20260630} {
		g := &generator{seed, DefaultRecords, defaultNow, newMerchants(seed)}
		for i := range DefaultRecords {
			transaction, _ := g.transaction(i)
			for _, p := range []*payment{transaction, g.deposit(i)} {
				text, err := p.pixResponse().code.Encode()
				if err != nil {
					t.Fatalf("seed %d, record %d: %v", seed, i, err)
				}
				back := pix.ParseBRCode(text)
				if len(back.Problems) > 0 || back.BRCode != p.pixResponse().code || back.Cents != p.amount {
					t.Fatalf("seed %d, record %d: %s is parsed as %+v", seed, i, text, back)
				}
			}
		}
	}
}
