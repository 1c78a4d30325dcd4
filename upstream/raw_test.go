package upstream_test

import (
	"errors"
	"testing"

	"pixgraph/upstream"
)

// wantInvalid checks that err is the error for a member that breaks the contract.
func wantInvalid(t *testing.T, err error, member string) {
	t.Helper()
	var failed *upstream.Error
	switch {
	case !errors.As(err, &failed):
		t.Errorf("error = %v, want an *upstream.Error", err)
	case failed.Kind != upstream.KindInvalidResponse, failed.Op != "read "+member, failed.Service != upstream.Core:
		t.Errorf("error = %#v, want an invalid response of core in %s", failed, member)
	}
}

func TestMembers(t *testing.T) {
	tests := []struct {
		name, document, want string
	}{
		{"the last of two members counts", `{"acquirer":"first","acquirer":"last"}`, "last"},
		{"the last of two members counts, escaped", `{"acquirer":"first","\u0061cquirer":"last"}`, "last"},
		{"the last of two members counts, null", `{"acquirer":"first","acquirer":null}`, ""},
		{"escaped name", `{"\u0061c\u0071uirer":"it"}`, "it"},
		{"names are case-sensitive", `{"Acquirer":"no","ACQUIRER":"no","acquirer ":"no"}`, ""},
		{"not the member of a nested object", `{"payer":{"acquirer":"no"}}`, ""},
		{"space around", "{ \"acquirer\"\t:\n\"it\" }", "it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := upstream.Decode[upstream.Deposit]([]byte(tt.document))
			must(t, err)
			got, err := upstream.Member(d, "acquirer", upstream.ReadText)
			if tt.want == "" {
				wantInvalid(t, err, "acquirer")
			} else if err != nil || got.String() != tt.want {
				t.Errorf("got %q, %v; want %q", got.String(), err, tt.want)
			}
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
