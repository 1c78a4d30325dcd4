package pix_test

import (
	"testing"

	"pixgraph/upstream/pix"
)

func TestValidUUID(t *testing.T) {
	tests := []struct {
		name, s string
		any, v4 bool
	}{
		{"version 4", "71cdf9ba-c695-4e3c-b010-abb521a3f1be", true, true},
		{"version 4 in upper case", "71CDF9BA-C695-4E3C-B010-ABB521A3F1BE", true, true},
		{"version 4 with every variant digit: 8", "71cdf9ba-c695-4e3c-8010-abb521a3f1be", true, true},
		{"version 4 with every variant digit: 9", "71cdf9ba-c695-4e3c-9010-abb521a3f1be", true, true},
		{"version 4 with every variant digit: A", "71cdf9ba-c695-4e3c-A010-abb521a3f1be", true, true},
		{"version 4 of another variant", "71cdf9ba-c695-4e3c-c010-abb521a3f1be", true, false},
		{"version 1", "123e4567-e12b-12d1-a456-426655440000", true, false},
		{"version 7", "018f0d6e-7c1a-7a3e-9d2b-0123456789ab", true, false},
		{"nil", "00000000-0000-0000-0000-000000000000", true, false},
		{"braces", "{71cdf9ba-c695-4e3c-b010-abb521a3f1be}", false, false},
		{"urn", "urn:uuid:71cdf9ba-c695-4e3c-b010-abb521a3f1be", false, false},
		{"no hyphens", "71cdf9bac6954e3cb010abb521a3f1be", false, false},
		{"hyphens in other places", "71cdf9bac-695-4e3c-b010-abb521a3f1be", false, false},
		{"a letter beyond f", "71cdf9bg-c695-4e3c-b010-abb521a3f1be", false, false},
		{"a control character that is a digit if bit 5 is set", "71cdf9b\x10-c695-4e3c-b010-abb521a3f1be", false, false},
		{"short", "71cdf9ba-c695-4e3c-b010-abb521a3f1b", false, false},
		{"a line feed after", "71cdf9ba-c695-4e3c-b010-abb521a3f1be\n", false, false},
		{"invalid UTF-8", "71cdf9ba-c695-4e3c-b010-abb521a3f1\xff\xfe", false, false},
		{"empty", "", false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := pix.ValidUUID(tt.s); got != tt.any {
				t.Errorf("ValidUUID = %v, want %v", got, tt.any)
			}
			if got := pix.ValidUUIDv4(tt.s); got != tt.v4 {
				t.Errorf("ValidUUIDv4 = %v, want %v", got, tt.v4)
			}
		})
	}
}
