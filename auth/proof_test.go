package auth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const fakeIssuer = "https://id.example"

// newProof signs a payload with a new key. It returns the token and a verifier whose only source has that key and
// belongs to issuer.
func newProof(t testing.TB, issuer, payload string) (*verifier, string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: private}, nil)
	must(t, err)
	jws, err := signer.Sign([]byte(payload))
	must(t, err)
	token, err := jws.CompactSerialize()
	must(t, err)
	source := &keySource{issuer: issuer}
	source.current.Store(&keySet{keys: []*key{{typ: "P-256", public: &private.PublicKey}}, fetched: time.Now()})
	return newVerifier(map[string]*keySource{fakeIssuer: source}, Config{Audiences: []string{"a"}}), token
}

func payloadFor(subject string) string {
	return fmt.Sprintf(`{"iss":%q,"sub":%q,"aud":"a","exp":%d}`, fakeIssuer, subject, time.Now().Add(time.Hour).Unix())
}

// TestReasonsOfGoOIDC: when go-oidc refuses a token for another reason than its signature, the error has that reason.
func TestReasonsOfGoOIDC(t *testing.T) {
	tests := []struct {
		name string
		edit func(*verifier)
		of   string // the issuer that the source belongs to
		want Reason // "" is accepted
	}{
		{"accepted", func(*verifier) {}, fakeIssuer, ""},
		{"keys of another issuer", func(*verifier) {}, "https://other.example", ReasonIssuer},
		{"algorithm unknown to go-oidc", func(v *verifier) { v.config.SupportedSigningAlgs = []string{"RS256"} }, fakeIssuer, ReasonMalformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, token := newProof(t, tt.of, payloadFor("s"))
			tt.edit(v)
			_, err := v.verify(t.Context(), token, digestOf(token))
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("err = %v", err)
			case tt.want != "" && (err == nil || err.Reason != tt.want):
				t.Errorf("err = %v, want reason %q", err, tt.want)
			}
		})
	}
}

// TestClaimsComeFromTheSignedBytes: claims that were read from bytes other than the signed ones are refused, though the
// signature is valid.
func TestClaimsComeFromTheSignedBytes(t *testing.T) {
	v, token := newProof(t, fakeIssuer, payloadFor("someone"))
	jws, err := jose.ParseSignedCompact(token, v.algorithms)
	must(t, err)
	signed, other := jws.UnsafePayloadWithoutVerification(), []byte(payloadFor("admin"))
	for _, payload := range [][]byte{signed, other} {
		c, err := parseClaims(payload)
		must(t, err)
		p := &proof{source: v.sources[fakeIssuer], jws: jws, payload: payload, claims: c}
		_, err = p.VerifySignature(t.Context(), token)
		var refused *Error
		if c.Subject == "someone" && (err != nil || !p.proven) {
			t.Errorf("the signed claims are refused: %v", err)
		}
		if c.Subject == "admin" && (!errors.As(err, &refused) || refused.Reason != ReasonSignature || p.proven) {
			t.Errorf("unsigned claims are accepted: %v", err)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
