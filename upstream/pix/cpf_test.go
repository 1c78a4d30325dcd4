package pix_test

import (
	"fmt"
	"testing"

	"pixgraph/upstream/pix"
)

func TestNewCPF(t *testing.T) {
	tests := []struct{ name, base, want string }{
		{"both digits above zero", "529982247", "52998224725"},
		{"first digit zero", "123456789", "12345678909"},
		{"both digits zero", "168995350", "16899535009"},
		{"leading zeros", "000000001", "00000000191"},
		{"equal digits", "777777777", ""},
		{"short", "52998224", ""},
		{"long", "5299822472", ""},
		{"a letter", "52998224A", ""},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := pix.NewCPF(tt.base)
			if got != tt.want || (err != nil) != (tt.want == "") {
				t.Errorf("NewCPF(%q) = %q, %v; want %q", tt.base, got, err, tt.want)
			}
		})
	}
}

func TestNewCPFDetectsOneWrongDigit(t *testing.T) {
	for n := 1; n < 1_000_000_000; n += 1_234_567 {
		cpf, err := pix.NewCPF(fmt.Sprintf("%09d", n))
		if err != nil {
			t.Fatal(err)
		}
		if typ, _ := pix.KeyTypeOf(cpf); typ != pix.CPF {
			t.Errorf("KeyTypeOf(%s) = %q", cpf, typ)
		}
		for _, i := range []int{9, 10} {
			wrong := []byte(cpf)
			wrong[i] = '0' + (wrong[i]-'0'+1)%10
			if pix.ValidKey(string(wrong)) {
				t.Errorf("ValidKey(%s), a wrong digit of %s", wrong, cpf)
			}
		}
	}
}
