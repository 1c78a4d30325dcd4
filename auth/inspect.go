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
	Algorithms []string // those for which there is a key
	// Ignored has how many of the other keys are not used, by the reason.
	Ignored map[string]int
}

var errNotConfigured = errors.New("auth: not one of the configured issuers")

// Inspect fetches an issuer's discovery document and its keys, without reading or filling any cache. It is for
// diagnosis. The text of its error contains nothing that the issuer sent.
func (a *Authenticator) Inspect(ctx context.Context, issuer string) (Published, error) {
	source, ok := a.sources[issuer]
	if !ok {
		return Published{}, errNotConfigured
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	set, err := fetchKeySet(ctx, source.client, issuer, time.Now(), nil)
	if errors.Is(err, errNoDiscovery) && hasOAuthMetadata(ctx, source.client, issuer) {
		err = ErrOAuthMetadata
	}
	if err != nil {
		return Published{}, err
	}
	found := Published{Keys: len(set.keys), Ignored: map[string]int{}}
	for _, reason := range set.ignored {
		found.Ignored[reason.Error()]++
	}
	for _, name := range a.verifier.config.SupportedSigningAlgs {
		name = canonical(name)
		if _, reason := set.prove(name, "", nil, func(*key) bool { return false }); reason != ReasonUnknownKey && !slices.Contains(found.Algorithms, name) {
			found.Algorithms = append(found.Algorithms, name)
		}
	}
	return found, nil
}
