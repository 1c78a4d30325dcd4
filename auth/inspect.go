package auth

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Published describes the keys that an issuer publishes for the verification of its tokens.
type Published struct {
	Keys       int      // that verify signatures
	Algorithms []string // those of Config.Algorithms for which there is a key
}

var errNotConfigured = errors.New("auth: not one of the configured issuers")

// Inspect fetches an issuer's discovery document and its keys, without reading or filling any cache. It is for
// diagnosis. Its error contains nothing that the issuer sent.
func (a *Authenticator) Inspect(ctx context.Context, issuer string) (Published, error) {
	source, ok := a.sources[issuer]
	if !ok {
		return Published{}, errNotConfigured
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	set, err := fetchKeySet(ctx, source.client, issuer, time.Now(), nil)
	if err != nil {
		return Published{}, err
	}
	found := Published{Keys: len(set.keys)}
	for _, name := range a.verifier.algorithmNames {
		if typ, known := keyTypeOf(name); known && slices.ContainsFunc(set.keys, func(k *key) bool {
			return k.typ == typ && (k.algorithm == "" || k.algorithm == name)
		}) {
			found.Algorithms = append(found.Algorithms, name)
		}
	}
	return found, nil
}
