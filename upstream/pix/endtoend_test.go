package pix_test

import (
	"regexp"
	"strings"
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
			if tt.want != "" && refund != "D"+tt.want[1:] {
				t.Errorf("RefundID = %q", refund)
			}
		})
	}
}

// endToEndIDs are labelled texts: the parts that they have, and the problems.
var endToEndIDs = []struct{ name, text, parts, problems string }{
	{"payment", "E60701190202607010115a1B2c3D4e5F", "PAYMENT 60701190 2026-07-01T01:15:00Z a1B2c3D4e5F", ""},
	{"refund", "D00000000202802292359abcdefghijk", "REFUND 00000000 2028-02-29T23:59:00Z abcdefghijk", ""},
	{"white space around", " E60701190202607010115a1B2c3D4e5F\n", "PAYMENT 60701190 2026-07-01T01:15:00Z a1B2c3D4e5F", "WHITE_SPACE"},
	{"kind in lower case", "e60701190202607010115a1B2c3D4e5F", " 60701190 2026-07-01T01:15:00Z a1B2c3D4e5F", "INVALID@kind"},
	{"other kind", "M60701190202607010115a1B2c3D4e5F", " 60701190 2026-07-01T01:15:00Z a1B2c3D4e5F", "INVALID@kind"},
	{"ISPB with a letter", "E6070119A202607010115a1B2c3D4e5F", "PAYMENT  2026-07-01T01:15:00Z a1B2c3D4e5F", "INVALID@ispb"},
	{"ISPB with a letter beyond ASCII", "E6070119é202607010115a1B2c3D4e5F", "PAYMENT  2026-07-01T01:15:00Z a1B2c3D4e5F", "INVALID@ispb"},
	{"invisible characters", "\ufeffE60701190\u200b202607010115\r\na1B2c3D4e5F", "PAYMENT 60701190 2026-07-01T01:15:00Z a1B2c3D4e5F", "WHITE_SPACE"},
	{"30 February", "E60701190202602300115a1B2c3D4e5F", "PAYMENT 60701190  a1B2c3D4e5F", "INVALID@minute"},
	{"29 February of no leap year", "E60701190202602290115a1B2c3D4e5F", "PAYMENT 60701190  a1B2c3D4e5F", "INVALID@minute"},
	{"29 February in a leap year", "E60701190202802290115a1B2c3D4e5F", "PAYMENT 60701190 2028-02-29T01:15:00Z a1B2c3D4e5F", ""},
	{"month 13", "E60701190202613010115a1B2c3D4e5F", "PAYMENT 60701190  a1B2c3D4e5F", "INVALID@minute"},
	{"day 0", "E60701190202607000115a1B2c3D4e5F", "PAYMENT 60701190  a1B2c3D4e5F", "INVALID@minute"},
	{"year 0", "E60701190000007010115a1B2c3D4e5F", "PAYMENT 60701190  a1B2c3D4e5F", "INVALID@minute"},
	{"hour 24", "E60701190202607012400a1B2c3D4e5F", "PAYMENT 60701190  a1B2c3D4e5F", "INVALID@minute"},
	{"minute 60", "E60701190202607010160a1B2c3D4e5F", "PAYMENT 60701190  a1B2c3D4e5F", "INVALID@minute"},
	{"sequence with a hyphen", "E60701190202607010115a1B2c3D4e-F", "PAYMENT 60701190 2026-07-01T01:15:00Z ", "INVALID@sequence"},
	{"sequence beyond ASCII", "E60701190202607010115a1B2c3D4e5é", "PAYMENT 60701190 2026-07-01T01:15:00Z ", "INVALID@sequence"},
	{"31 characters", "E60701190202607010115a1B2c3D4e5", "PAYMENT 60701190 2026-07-01T01:15:00Z ", "WRONG_LENGTH"},
	{"33 characters", "E60701190202607010115a1B2c3D4e5FF", "PAYMENT 60701190 2026-07-01T01:15:00Z ", "WRONG_LENGTH"},
	{"255 characters", "D60701190202607010115" + strings.Repeat("a", 234), "REFUND 60701190 2026-07-01T01:15:00Z ", "WRONG_LENGTH"},
	{"256 characters", "D60701190202607010115" + strings.Repeat("a", 235), "   ", "TOO_LONG"},
	{"only kind and ISPB", "D60701190", "REFUND 60701190  ", "WRONG_LENGTH"},
	{"only a kind", "E", "PAYMENT   ", "WRONG_LENGTH"},
	{"an id of another kind", "PAY-123", "   ", "WRONG_LENGTH INVALID@kind"},
	{"32 other characters", strings.Repeat("é", 32), "   ", "INVALID@kind INVALID@ispb INVALID@minute INVALID@sequence"},
	{"invalid UTF-8", "E6070119\xff202607010115a1B2c3D4e5F", "PAYMENT  2026-07-01T01:15:00Z a1B2c3D4e5F", "INVALID@ispb"},
	{"empty", "", "   ", "EMPTY"},
}

func TestParseEndToEndID(t *testing.T) {
	for _, tt := range endToEndIDs {
		t.Run(tt.name, func(t *testing.T) {
			got := pix.ParseEndToEndID(tt.text)
			parts := strings.Join([]string{string(got.Kind), got.ISPB, got.Minute, got.Sequence}, " ")
			problems := strings.Join(problemWords(got.Problems), " ")
			if parts != tt.parts || problems != tt.problems {
				t.Errorf("%q with the problems %q, want %q, %q", parts, problems, tt.parts, tt.problems)
			}
		})
	}
}

// FuzzParseEndToEndID: a text has no problems if and only if it is valid, and then its parts are those that build it.
func FuzzParseEndToEndID(f *testing.F) {
	for _, tt := range endToEndIDs {
		f.Add(tt.text)
	}
	form := regexp.MustCompile(`^[DE]\d{20}[0-9A-Za-z]{11}$`)
	f.Fuzz(func(t *testing.T, text string) {
		got := pix.ParseEndToEndID(text)
		checkProblems(t, got.Problems)
		valid := form.MatchString(text)
		if valid {
			_, err := time.Parse("200601021504", text[9:21])
			valid = err == nil && text[9:13] != "0000"
		}
		if valid != (len(got.Problems) == 0) {
			t.Errorf("%q: valid %v, problems %v", text, valid, got.Problems)
		}
		if len(got.Problems) > 0 {
			return
		}
		build := map[pix.EndToEndKind]func(string, time.Time, string) (string, error){
			pix.Payment: pix.EndToEndID, pix.Refund: pix.RefundID,
		}[got.Kind]
		at, err := time.Parse(time.RFC3339, got.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := build(got.ISPB, at, got.Sequence); again != text {
			t.Errorf("%+v builds %q, %v, want %q", got, again, err, text)
		}
	})
}
