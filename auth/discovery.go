package auth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4/json"

	"pixgraph/internal/netcause"
)

const (
	// DiscoveryPath is where an issuer has its discovery document, below its URL.
	DiscoveryPath     = "/.well-known/openid-configuration"
	oauthMetadataPath = "/.well-known/oauth-authorization-server"
	// maxDocumentBytes is many times the size of the largest discovery documents and key sets, including those with
	// certificate chains.
	maxDocumentBytes = 256 << 10
)

var (
	errNotDiscovery   = errors.New("not a discovery document")
	errNotFound       = errors.New("status 404")
	errNoDiscovery    = fmt.Errorf("discovery: %w", errNotFound)
	errKeysAddress    = errors.New("a jwks_uri that is neither https nor, for an issuer on loopback, http on loopback")
	errPanicked       = errors.New("a panic while reading the issuer's documents")
	errDocumentLength = fmt.Errorf("a document above %d KiB", maxDocumentBytes>>10)
)

// ErrOAuthMetadata reports an issuer that has metadata of OAuth, but no discovery document of OpenID Connect.
var ErrOAuthMetadata = errors.New("discovery: status 404; there is metadata of OAuth only (RFC 8414)")

// ErrRedirect reports a redirect, which is not followed: the issuer is where its URL says.
var ErrRedirect = errors.New("a redirect, which is not followed")

// ErrHTML reports a page in place of a document.
var ErrHTML = errors.New("a page of HTML")

// ForeignIssuerError reports a discovery document that names another issuer. Its text does not have that name.
type ForeignIssuerError struct{ Named string }

// Error implements error.
func (*ForeignIssuerError) Error() string { return "the document names another issuer" }

// fetchKeySet reads the issuer's discovery document (OpenID Connect Discovery 1.0, section 4) and the key set that it
// points to. Both are read each time, so that an issuer can move its keys without a restart of the gateway. A panic
// becomes an error: a document of an issuer must not end the process.
func fetchKeySet(ctx context.Context, client *http.Client, issuer string, now time.Time, former *keySet) (set *keySet, err error) {
	defer func() {
		if recover() != nil {
			set, err = nil, errPanicked
		}
	}()
	body, err := getDocument(ctx, client, strings.TrimSuffix(issuer, "/")+DiscoveryPath)
	if errors.Is(err, errNotFound) {
		return nil, errNoDiscovery
	}
	if err != nil {
		return nil, fmt.Errorf("discovery: %w", err)
	}
	address, origins, err := readDiscovery(body, issuer)
	if err != nil {
		return nil, fmt.Errorf("discovery: %w", err)
	}
	body, err = getDocument(ctx, client, address)
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	set, err = parseKeySet(body, now, former)
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	set.origins = origins
	return set, nil
}

// readDiscovery reads jwks_uri from a discovery document, and the origins of the endpoints that pages use. The
// document's issuer must equal the given one exactly.
func readDiscovery(body []byte, issuer string) (keys string, origins []string, err error) {
	var doc struct {
		Issuer    string `json:"issuer"`
		Keys      string `json:"jwks_uri"`
		Authorize string `json:"authorization_endpoint"`
		Token     string `json:"token_endpoint"`
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		return "", nil, formOf(body, errNotDiscovery)
	}
	if doc.Issuer != issuer {
		return "", nil, &ForeignIssuerError{Named: doc.Issuer}
	}
	if originOf(doc.Keys, issuer) == "" {
		return "", nil, errKeysAddress
	}
	for _, endpoint := range []string{doc.Authorize, doc.Token} {
		if origin := originOf(endpoint, issuer); origin != "" && origin != originOf(issuer, issuer) && !slices.Contains(origins, origin) {
			origins = append(origins, origin)
		}
	}
	return doc.Keys, origins, nil
}

// originOf returns the origin of a URL in the documents of an issuer, "" if it is not as trustworthy as the issuer.
func originOf(text, issuer string) string {
	u, err := url.Parse(text)
	if err != nil || !Trustworthy(u) || u.Scheme == "http" && !strings.HasPrefix(issuer, "http://") {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// Origins returns the origins of the endpoints at which users of the pages sign in, other than the issuer's own, as the
// issuer's last discovery document says. Before the first one it waits for it, for a moment.
func (a *Authenticator) Origins(ctx context.Context) []string {
	if a.signIn == nil {
		return nil
	}
	set := a.signIn.current.Load()
	if set == nil || time.Since(set.fetched) >= keyMaxAge {
		fetching := a.signIn.refresh()
		if set == nil && a.signIn.await(ctx, fetching) == nil {
			set = a.signIn.current.Load()
		}
	}
	if set == nil {
		return nil
	}
	return set.origins
}

// getDocument reads one JSON document at exactly this address. Its errors come from a fixed list, for logs and the
// doctor's report: apart from a status code they contain nothing of the address, of a certificate or of the response.
func getDocument(ctx context.Context, client *http.Client, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errKeysAddress
	}
	req.Header.Set("Accept", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return nil, netcause.Of(err)
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return nil, errNotFound
	case resp.StatusCode/100 == 3:
		return nil, fmt.Errorf("status %d: %w", resp.StatusCode, ErrRedirect)
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("status %d", resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxDocumentBytes+1))
	if err != nil {
		return nil, netcause.Of(err)
	}
	if len(body) > maxDocumentBytes {
		return nil, errDocumentLength
	}
	return body, nil
}

// formOf returns the error for a document that is not the JSON that it should be.
func formOf(body []byte, otherwise error) error {
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
		return ErrHTML
	}
	return otherwise
}

// hasOAuthMetadata reports whether an issuer has metadata of RFC 8414, whose path is between its host and its own path.
func hasOAuthMetadata(ctx context.Context, client *http.Client, issuer string) bool {
	u, err := url.Parse(issuer)
	if err != nil {
		return false
	}
	u.Path = oauthMetadataPath + strings.TrimSuffix(u.Path, "/")
	body, err := getDocument(ctx, client, u.String())
	if err != nil {
		return false
	}
	_, _, err = readDiscovery(body, issuer)
	return err == nil
}

// withoutRedirects returns a client that returns a redirect as the response.
func withoutRedirects(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
