package upstream_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"pixgraph/upstream"
)

// invalidFields returns the fields of a list of violations, in their order.
func invalidFields(list []upstream.Violation) []string {
	var fields []string
	for _, v := range list {
		fields = append(fields, v.Field)
	}
	return fields
}

func TestDepositFilter(t *testing.T) {
	type filter = upstream.DepositFilter
	tests := []struct {
		name    string
		filter  *filter
		query   string   // of a valid filter
		invalid []string // fields
	}{
		{name: "nil"},
		{name: "empty", filter: &filter{}},
		{
			name: "all fields",
			filter: &filter{
				StartDate: new("2026-01-31T00:00:00-03:00"), EndDate: new("2026-02-01T00:00:00+03:00"),
				Status: []upstream.DepositStatus{"PAID", "PENDING", "REFUNDED"}, MinAmount: new(upstream.Cents(1)),
				MaxAmount: new(upstream.Cents(10000000)), DepositOrigin: []upstream.DepositOrigin{"PIX_KEY", "QRCODE"},
			},
			query: "depositOrigin=PIX_KEY&depositOrigin=QRCODE&endDate=2026-02-01T00%3A00%3A00%2B03%3A00&maxAmount=10000000" +
				"&minAmount=1&startDate=2026-01-31T00%3A00%3A00-03%3A00&status=PAID&status=PENDING&status=REFUNDED",
		},
		{name: "every status", filter: &filter{Status: upstream.DepositStatuses()}, query: "status=" + join("&status=", upstream.DepositStatuses())},
		{name: "start not a date", filter: &filter{StartDate: new("yesterday")}, invalid: []string{"startDate"}},
		{name: "end empty", filter: &filter{EndDate: new("")}, invalid: []string{"endDate"}},
		{name: "min amount 0", filter: &filter{MinAmount: new(upstream.Cents(0))}, invalid: []string{"minAmount"}},
		{name: "min amount negative", filter: &filter{MinAmount: new(upstream.Cents(-1))}, invalid: []string{"minAmount"}},
		{name: "min amount above the maximum", filter: &filter{MinAmount: new(upstream.Cents(10000001))}, invalid: []string{"minAmount"}},
		{name: "max amount 0", filter: &filter{MaxAmount: new(upstream.Cents(0))}, invalid: []string{"maxAmount"}},
		{name: "max amount above the maximum", filter: &filter{MaxAmount: new(upstream.Cents(10000001))}, invalid: []string{"maxAmount"}},
		{name: "no status", filter: &filter{Status: []upstream.DepositStatus{}}, invalid: []string{"status"}},
		{name: "a status twice", filter: &filter{Status: []upstream.DepositStatus{"PAID", "PAID"}}, invalid: []string{"status"}},
		{name: "UNKNOWN", filter: &filter{Status: []upstream.DepositStatus{upstream.Unknown}}, invalid: []string{"status"}},
		{name: "a status of withdrawals", filter: &filter{Status: []upstream.DepositStatus{"PROCESSED"}}, invalid: []string{"status"}},
		{name: "two statuses in one value", filter: &filter{Status: []upstream.DepositStatus{"PAID,PENDING"}}, invalid: []string{"status"}},
		{name: "no origin", filter: &filter{DepositOrigin: []upstream.DepositOrigin{}}, invalid: []string{"depositOrigin"}},
		{name: "an origin twice", filter: &filter{DepositOrigin: []upstream.DepositOrigin{"QRCODE", "QRCODE"}}, invalid: []string{"depositOrigin"}},
		{name: "an unknown origin", filter: &filter{DepositOrigin: []upstream.DepositOrigin{"UNKNOWN"}}, invalid: []string{"depositOrigin"}},
		{
			name: "all fields invalid",
			filter: &filter{
				StartDate: new(""), EndDate: new(""), Status: []upstream.DepositStatus{}, MinAmount: new(upstream.Cents(0)),
				MaxAmount: new(upstream.Cents(0)), DepositOrigin: []upstream.DepositOrigin{},
			},
			invalid: []string{"startDate", "endDate", "status", "minAmount", "maxAmount", "depositOrigin"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkFilter(t, tt.filter.Violations(), tt.filter.Query(), tt.query, tt.invalid)
		})
	}
}

func TestWithdrawalFilter(t *testing.T) {
	type filter = upstream.WithdrawalFilter
	const v4 = "7f1d3a52-90a4-4a0d-8a36-3d8f6a0b4c01"
	letters := func(n int) *string { return new(strings.Repeat("é", n)) }
	tests := []struct {
		name    string
		filter  *filter
		query   string
		invalid []string
	}{
		{name: "nil"},
		{name: "empty", filter: &filter{}},
		{
			name: "all fields",
			filter: &filter{
				StartDate: new("2026-01-31T00:00:00Z"), EndDate: new("2026-02-01T00:00:00Z"),
				Status: []upstream.WithdrawalStatus{"PROCESSED", "FAILED"}, ID: new(v4), PixKey: new("+5511987654321"),
				EndToEnd: new("E1823612020260131120000000000002"), EndToEndRefund: new("D1823612"), ExternalCode: new("a&b=c d+é"),
				MinAmount: new(upstream.Cents(10)), MaxAmount: new(upstream.Cents(10000000)),
			},
			query: "endDate=2026-02-01T00%3A00%3A00Z&endToEnd=E1823612020260131120000000000002&endToEndRefund=D1823612" +
				"&externalCode=a%26b%3Dc+d%2B%C3%A9&id=" + v4 + "&maxAmount=10000000&minAmount=10&pixKey=%2B5511987654321" +
				"&startDate=2026-01-31T00%3A00%3A00Z&status=PROCESSED&status=FAILED",
		},
		{name: "every status", filter: &filter{Status: upstream.WithdrawalStatuses()}, query: "status=" + join("&status=", upstream.WithdrawalStatuses())},
		{name: "e-mail with a tag", filter: &filter{PixKey: new("maria+pix@correio.example")}, query: "pixKey=maria%2Bpix%40correio.example"},
		{
			name: "e-mail with signs and upper case", filter: &filter{PixKey: new("A%b+c&d=e#f?g@Correio.example")},
			query: "pixKey=A%25b%2Bc%26d%3De%23f%3Fg%40Correio.example",
		},
		{name: "key is a CPF", filter: &filter{PixKey: new("12345678909")}, query: "pixKey=12345678909"},
		{name: "key is a CNPJ", filter: &filter{PixKey: new("12345678000195")}, query: "pixKey=12345678000195"},
		{name: "key is an EVP", filter: &filter{PixKey: new(v4)}, query: "pixKey=" + v4},
		{name: "shortest code, in characters", filter: &filter{ExternalCode: letters(8)}, query: "externalCode=" + strings.Repeat("%C3%A9", 8)},
		{name: "longest code, in characters", filter: &filter{EndToEnd: letters(255)}, query: "endToEnd=" + strings.Repeat("%C3%A9", 255)},
		{name: "dates", filter: &filter{StartDate: new("2026-01-31"), EndDate: new("31/01/2026")}, invalid: []string{"startDate", "endDate"}},
		{name: "no status", filter: &filter{Status: []upstream.WithdrawalStatus{}}, invalid: []string{"status"}},
		{name: "a status twice", filter: &filter{Status: []upstream.WithdrawalStatus{"FAILED", "FAILED"}}, invalid: []string{"status"}},
		{name: "a status of deposits", filter: &filter{Status: []upstream.WithdrawalStatus{"PAID"}}, invalid: []string{"status"}},
		{name: "id of version 1", filter: &filter{ID: new("7f1d3a52-90a4-1a0d-8a36-3d8f6a0b4c01")}, invalid: []string{"id"}},
		{name: "id in braces", filter: &filter{ID: new("{" + v4 + "}")}, invalid: []string{"id"}},
		{name: "id as a URN", filter: &filter{ID: new("urn:uuid:" + v4)}, invalid: []string{"id"}},
		{name: "id empty", filter: &filter{ID: new("")}, invalid: []string{"id"}},
		{name: "key is a CPF with wrong check digits", filter: &filter{PixKey: new("12345678900")}, invalid: []string{"pixKey"}},
		{name: "key empty", filter: &filter{PixKey: new("")}, invalid: []string{"pixKey"}},
		{name: "end to end too short", filter: &filter{EndToEnd: letters(7)}, invalid: []string{"endToEnd"}},
		{name: "end to end too long", filter: &filter{EndToEnd: letters(256)}, invalid: []string{"endToEnd"}},
		{name: "end to end of a refund too short", filter: &filter{EndToEndRefund: letters(7)}, invalid: []string{"endToEndRefund"}},
		{name: "end to end of a refund too long", filter: &filter{EndToEndRefund: letters(256)}, invalid: []string{"endToEndRefund"}},
		{name: "external code empty", filter: &filter{ExternalCode: new("")}, invalid: []string{"externalCode"}},
		{name: "external code too long", filter: &filter{ExternalCode: letters(256)}, invalid: []string{"externalCode"}},
		{name: "min amount 9", filter: &filter{MinAmount: new(upstream.Cents(9))}, invalid: []string{"minAmount"}},
		{name: "max amount 9", filter: &filter{MaxAmount: new(upstream.Cents(9))}, invalid: []string{"maxAmount"}},
		{
			name: "amounts above the maximum", filter: &filter{MinAmount: new(upstream.Cents(10000001)), MaxAmount: new(upstream.Cents(10000001))},
			invalid: []string{"minAmount", "maxAmount"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkFilter(t, tt.filter.Violations(), tt.filter.Query(), tt.query, tt.invalid)
		})
	}
}

func join[E ~string](separator string, values []E) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = string(value)
	}
	return strings.Join(texts, separator)
}

// checkFilter compares the invalid fields, or the query of a valid filter.
func checkFilter(t *testing.T, violations []upstream.Violation, query url.Values, want string, invalid []string) {
	t.Helper()
	if got := invalidFields(violations); !slices.Equal(got, invalid) {
		t.Errorf("invalid fields = %v, want %v", got, invalid)
	}
	if got := query.Encode(); invalid == nil && got != want {
		t.Errorf("query = %s\nwant %s", got, want)
	}
	for _, v := range violations {
		if !strings.HasPrefix(v.Rule, "must ") {
			t.Errorf("%s: rule %q does not say what the field accepts", v.Field, v.Rule)
		}
	}
}

func TestValidDateTime(t *testing.T) {
	tests := []struct {
		name, text string
		want       bool
	}{
		{"UTC", "2026-01-31T12:00:00Z", true},
		{"milliseconds", "2026-01-31T12:00:00.123Z", true},
		{"nanoseconds", "2026-01-31T12:00:00.123456789Z", true},
		{"one digit of a fraction", "2026-01-31T12:00:00.1-03:00", true},
		{"offset", "2026-01-31T12:00:00-03:00", true},
		{"offset east", "2026-01-31T12:00:00+05:45", true},
		{"no offset", "2026-01-31T12:00:00", true},
		{"no seconds", "2026-01-31T12:00Z", true},
		{"no seconds, no offset", "2026-01-31T12:00", true},
		{"leap day", "2024-02-29T00:00:00Z", true},
		{"last second", "2026-12-31T23:59:59Z", true},
		{"not a leap year", "2026-02-29T00:00:00Z", false},
		{"30 February", "2026-02-30T00:00:00Z", false},
		{"month 13", "2026-13-01T00:00:00Z", false},
		{"day 0", "2026-01-00T00:00:00Z", false},
		{"hour 24", "2026-01-31T24:00:00Z", false},
		{"minute 60", "2026-01-31T12:60:00Z", false},
		{"second 60", "2026-01-31T12:00:60Z", false},
		{"hour of one digit", "2026-01-31T1:00:00Z", false},
		{"month of one digit", "2026-1-31T12:00:00Z", false},
		{"second of one digit", "2026-01-31T12:00:0Z", false},
		{"comma", "2026-01-31T12:00:00,5Z", false},
		{"dot without digits", "2026-01-31T12:00:00.Z", false},
		{"fraction of a minute", "2026-01-31T12:00.5Z", false},
		{"offset of 24 hours", "2026-01-31T12:00:00+24:00", false},
		{"offset of 60 minutes", "2026-01-31T12:00:00+23:60", false},
		{"offset without colon", "2026-01-31T12:00:00+0300", false},
		{"offset of hours", "2026-01-31T12:00:00+03", false},
		{"offset twice", "2026-01-31T12:00:00Z+03:00", false},
		{"no T", "2026-01-31 12:00:00Z", false},
		{"small letters", "2026-01-31t12:00:00z", false},
		{"date", "2026-01-31", false},
		{"time", "12:00:00Z", false},
		{"year of five digits", "12026-01-31T12:00:00Z", false},
		{"year of two digits", "26-01-31T12:00:00Z", false},
		{"Unix time", "1769860800", false},
		{"day first", "31/01/2026 12:00", false},
		{"space before", " 2026-01-31T12:00:00Z", false},
		{"space after", "2026-01-31T12:00:00Z ", false},
		{"line break after", "2026-01-31T12:00:00Z\n", false},
		{"digits of another script", "２０２６-01-31T12:00:00Z", false},
		{"very long", "2026-01-31T12:00:00." + strings.Repeat("0", 100_000) + "Z", false},
		{"empty", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := upstream.ValidDateTime(tt.text); got != tt.want {
				t.Errorf("ValidDateTime(%.40q) = %v", tt.text, got)
			}
		})
	}
}
