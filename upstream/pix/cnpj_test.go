package pix_test

import (
	"testing"

	"pixgraph/upstream/pix"
)

func TestNewCNPJ(t *testing.T) {
	tests := []struct{ name, base, want string }{
		{"digits", "112223330001", "11222333000181"},
		{"leading zeros", "000000000001", "00000000000191"},
		{"Receita's alphanumeric example", "12ABC34501DE", "12ABC34501DE35"},
		{"lower case", "12abc34501de", ""},
		{"equal digits", "111111111111", "11111111111180"},
		{"equal letters", "AAAAAAAAAAAA", "AAAAAAAAAAAA45"},
		{"zeros", "000000000000", ""},
		{"short", "11222333000", ""},
		{"long", "1122233300011", ""},
		{"a character between digits and letters", "11222333000:", ""},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := pix.NewCNPJ(tt.base)
			if got != tt.want || (err != nil) != (tt.want == "") {
				t.Errorf("NewCNPJ(%q) = %q, %v; want %q", tt.base, got, err, tt.want)
			}
		})
	}
}
