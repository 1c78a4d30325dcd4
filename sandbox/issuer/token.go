package issuer

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	grantCode   = "authorization_code"
	grantDirect = "client_credentials"

	// maxTTL bounds the lifetime of tokens that are requested manually.
	maxTTL = 24 * time.Hour
)

// tokenAnswer is a successful response of the token endpoint (RFC 6749 section 5.1).
type tokenAnswer struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int    `json:"expires_in"` // seconds
	Scope       string `json:"scope"`
	IDToken     string `json:"id_token,omitempty"`
}

// tokenProblem is an error response of the token endpoint (RFC 6749 section 5.2).
type tokenProblem struct {
	Code        string `json:"error"`
	Description string `json:"error_description"`
}

// serveToken redeems a code, or issues a token without authentication: with grant_type=client_credentials, and no
// credentials, it accepts persona (a key of the authorization page), scope (separated by spaces; get_dispatcher if
// absent, no scope if empty), ttl (seconds, at most a day, negative for an expired token) and subject.
func (i *Issuer) serveToken(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxFormBytes)
	if err := r.ParseForm(); err != nil {
		writeJSON(w, http.StatusBadRequest, tokenProblem{"invalid_request", "the body is not a form"})
		return
	}
	var (
		answer  tokenAnswer
		problem *tokenProblem
	)
	switch r.PostForm.Get("grant_type") {
	case grantCode:
		answer, problem = i.redeem(i.urlFor(r), r.PostForm)
	case grantDirect:
		answer, problem = i.direct(i.urlFor(r), r.PostForm)
	default:
		problem = &tokenProblem{"unsupported_grant_type", "grant_type must be " + grantCode + " or " + grantDirect}
	}
	if problem != nil {
		writeJSON(w, http.StatusBadRequest, problem)
		return
	}
	writeJSON(w, http.StatusOK, answer)
}

// ServeText issues a token like grant_type=client_credentials, for the parameters in the query, and responds with the
// token alone, for shells and programs. An unknown parameter is an error, because a misspelt one would give a token
// with full access.
func (i *Issuer) ServeText(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	query, err := url.ParseQuery(r.URL.RawQuery)
	problem := &tokenProblem{Description: "the query is not valid"}
	var answer tokenAnswer
	if err == nil {
		answer, problem = i.direct(i.urlFor(r), query)
	}
	for name := range query {
		if !slices.Contains([]string{"persona", "scope", "ttl", "subject"}, name) {
			problem = &tokenProblem{Description: "the parameters are persona, scope, ttl and subject"}
		}
	}
	if problem != nil {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, problem.Description+"\n")
		return
	}
	_, _ = io.WriteString(w, answer.AccessToken) // without a line break, which a header must not have
}

// redeem exchanges a code and its verifier for a token (RFC 7636 section 4.6). An attempt invalidates the code, even if
// it fails.
func (i *Issuer) redeem(iss string, form url.Values) (tokenAnswer, *tokenProblem) {
	a, ok := i.takeCode(form.Get("code"))
	if !ok {
		return tokenAnswer{}, &tokenProblem{"invalid_grant", "the code is unknown, used or expired"}
	}
	sum := sha256.Sum256([]byte(form.Get("code_verifier")))
	switch {
	case form.Get("client_id") != a.client || form.Get("redirect_uri") != a.redirectURI:
		return tokenAnswer{}, &tokenProblem{"invalid_grant", "the code was issued for another client_id or redirect_uri"}
	case base64.RawURLEncoding.EncodeToString(sum[:]) != a.challenge:
		return tokenAnswer{}, &tokenProblem{"invalid_grant", "code_verifier does not match code_challenge"}
	}
	answer := i.answer(iss, a.persona.subject(), a.persona.scopes, a.persona.ttl)
	if a.openID {
		now := i.now()
		claims := map[string]any{
			"iss": iss, "sub": a.persona.subject(), "aud": a.client,
			"iat": now.Unix(), "exp": now.Add(a.persona.ttl).Unix(),
		}
		if a.nonce != "" {
			claims["nonce"] = a.nonce
		}
		answer.IDToken = i.Sign(nil, claims)
	}
	return answer, nil
}

// direct issues a token for the parameters persona, scope, ttl and subject.
func (i *Issuer) direct(iss string, form url.Values) (tokenAnswer, *tokenProblem) {
	subject, scopes, ttl := form.Get("subject"), []string{ScopeDispatcher}, DefaultTTL
	if form.Has("persona") {
		p, ok := personaOf(form.Get("persona"))
		if !ok {
			return tokenAnswer{}, &tokenProblem{"invalid_request", "persona must be one of " + personaKeys()}
		}
		scopes, ttl = p.scopes, p.ttl
		if subject == "" {
			subject = p.subject()
		}
	}
	if form.Has("scope") {
		scopes = strings.Fields(form.Get("scope"))
	}
	if form.Has("ttl") {
		seconds, err := strconv.Atoi(form.Get("ttl"))
		if limit := int(maxTTL / time.Second); err != nil || seconds == 0 || seconds < -limit || seconds > limit {
			return tokenAnswer{}, &tokenProblem{"invalid_request", "ttl must be seconds, from 1 to 86400, or negative for a token that has expired"}
		}
		ttl = time.Duration(seconds) * time.Second
	}
	return i.answer(iss, subject, scopes, ttl), nil
}

func (i *Issuer) answer(iss, subject string, scopes []string, ttl time.Duration) tokenAnswer {
	return tokenAnswer{
		AccessToken: i.Mint(Grant{Subject: subject, Scopes: scopes, TTL: ttl, Claims: map[string]any{"iss": iss}}),
		TokenType:   "Bearer",
		ExpiresIn:   int(ttl / time.Second),
		Scope:       strings.Join(scopes, " "),
	}
}
