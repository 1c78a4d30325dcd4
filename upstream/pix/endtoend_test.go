package pix_test

import (
	"testing"
	"time"

	"pixgraph/upstream/pix"
)

func TestEndToEndID(t *testing.T) {
	saoPaulo := time.FixedZone("BRT", -3*60*60)
	at := time.Date(2026, 6, 30, 22, 15, 59, 0, saoPaulo)
	tests := []struct {
		name, ispb, sequence string
		at                   time.Time
		want                 string
	}{
		{"minute in UTC", "60701190", "a1B2c3D4e5F", at, "E60701190202607010115a1B2c3D4e5F"},
		{"ISPB of zeros", "00000000", "00000000000", at, "E0000000020260701011500000000000"},
		{"short ISPB", "6070119", "a1B2c3D4e5F", at, ""},
		{"long ISPB with a short sequence", "607011901", "a1B2c3D4e5", at, ""},
		{"ISPB with a letter", "6070119A", "a1B2c3D4e5F", at, ""},
		{"short sequence", "60701190", "a1B2c3D4e5", at, ""},
		{"sequence with a hyphen", "60701190", "a1B2c3D4e-F", at, ""},
		{"year of five digits", "60701190", "a1B2c3D4e5F", at.AddDate(10000, 0, 0), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := pix.EndToEndID(tt.ispb, tt.at, tt.sequence)
			if got != tt.want || (err != nil) != (tt.want == "") {
				t.Fatalf("EndToEndID = %q, %v; want %q", got, err, tt.want)
			}
			refund, err := pix.RefundID(tt.ispb, tt.at, tt.sequence)
			if (err != nil) != (tt.want == "") {
				t.Fatalf("RefundID: %v", err)
			}
			if tt.want != "" && (refund != "D"+tt.want[1:] || !pix.ValidEndToEndID(got) || !pix.ValidRefundID(refund)) {
				t.Errorf("RefundID = %q; or one of the two is not valid", refund)
			}
		})
	}
}

func TestValidEndToEndID(t *testing.T) {
	tests := []struct {
		name, s       string
		payment, refd bool
	}{
		{"payment", "E60701190202607010115a1B2c3D4e5F", true, false},
		{"refund", "D60701190202607010115a1B2c3D4e5F", false, true},
		{"lower-case kind", "e60701190202607010115a1B2c3D4e5F", false, false},
		{"month 13", "E60701190202613010115a1B2c3D4e5F", false, false},
		{"30 February", "E60701190202602300115a1B2c3D4e5F", false, false},
		{"29 February in a leap year", "E60701190202802290115a1B2c3D4e5F", true, false},
		{"hour 24", "E60701190202607012415a1B2c3D4e5F", false, false},
		{"minute 60", "E60701190202607010160a1B2c3D4e5F", false, false},
		{"day 0", "E60701190202607000115a1B2c3D4e5F", false, false},
		{"year 0", "E60701190000007010115a1B2c3D4e5F", false, false},
		{"31 characters", "E60701190202607010115a1B2c3D4e5", false, false},
		{"33 characters", "E60701190202607010115a1B2c3D4e5FF", false, false},
		{"beyond ASCII", "E60701190202607010115a1B2c3D4eé", false, false},
		{"empty", "", false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := pix.ValidEndToEndID(tt.s); got != tt.payment {
				t.Errorf("ValidEndToEndID = %v, want %v", got, tt.payment)
			}
			if got := pix.ValidRefundID(tt.s); got != tt.refd {
				t.Errorf("ValidRefundID = %v, want %v", got, tt.refd)
			}
		})
	}
}
