package issuer

import (
	"crypto/rand"
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	scopeOpenID   = "openid"
	challengeS256 = "S256"
	promptNone    = "none"
	promptLogin   = "login"

	// sessionCookie has the last chosen persona. It is neither secret nor signed, because anyone may choose any
	// persona.
	sessionCookie = "pixgraph_sandbox_persona"
	// codeTTL is much longer than a redirect takes (RFC 6749 section 4.1.2 allows ten minutes).
	codeTTL = time.Minute
	// maxCodes bounds the codes that were never redeemed.
	maxCodes = 1000
	// maxFormBytes is many times the size of any of the forms.
	maxFormBytes = 64 << 10
)

// authorizationRequest is a valid request for a code (RFC 6749 section 4.1.1, RFC 7636 section 4.3).
type authorizationRequest struct {
	client, challenge, nonce, state, prompt string
	redirect                                *url.URL
	redirectURI                             string // redirect unparsed, which the token endpoint compares
	openID                                  bool
}

// authorization is the data of a code until it is redeemed.
type authorization struct {
	authorizationRequest
	persona persona
	expires time.Time
}

// authorizationParameters are the parameters that the page's form includes. prompt is not among them, because the page
// is the prompt.
func authorizationParameters() []string {
	return []string{"response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge", "code_challenge_method"}
}

// serveAuthorize shows the page on GET and handles its form on POST. With prompt=none it responds for the last chosen
// persona.
func (i *Issuer) serveAuthorize(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxFormBytes)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "the request is not a form", http.StatusBadRequest)
		return
	}
	redirect, err := url.Parse(r.Form.Get("redirect_uri"))
	if err != nil || !isRedirect(redirect) {
		// Without a valid redirect_uri the error is shown to the user.
		http.Error(w, "redirect_uri must be "+redirectRule, http.StatusBadRequest)
		return
	}
	req, problem := parseAuthorization(r.Form, redirect)
	var chosen string // the key of a persona
	switch {
	case problem != "":
	case r.Method == http.MethodPost:
		chosen, problem = r.PostForm.Get("persona"), "access_denied"
	case req.prompt != promptNone:
		i.servePage(w, req, r.Form)
		return
	default:
		problem = "login_required"
		if c, err := r.Cookie(sessionCookie); err == nil {
			chosen = c.Value
		}
	}
	p, ok := personaOf(chosen)
	if !ok {
		redirectBack(w, r, req, url.Values{"error": {problem}})
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: sessionCookie, Value: p.Key, Path: r.URL.Path,
		HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
	redirectBack(w, r, req, url.Values{"code": {i.newCode(req, p)}})
}

const redirectRule = "an http address on loopback"

func isRedirect(u *url.URL) bool { return Loopback(u) && u.Fragment == "" }

// parseAuthorization parses the parameters; problem is an OAuth error code, or empty.
func parseAuthorization(form url.Values, redirect *url.URL) (req authorizationRequest, problem string) {
	req = authorizationRequest{
		client:      form.Get("client_id"),
		challenge:   form.Get("code_challenge"),
		nonce:       form.Get("nonce"),
		state:       form.Get("state"),
		prompt:      form.Get("prompt"),
		redirect:    redirect,
		redirectURI: form.Get("redirect_uri"),
		openID:      slices.Contains(strings.Fields(form.Get("scope")), scopeOpenID),
	}
	if form.Get("response_type") != "code" {
		return req, "unsupported_response_type"
	}
	digest, err := base64.RawURLEncoding.DecodeString(req.challenge)
	if req.client == "" || form.Get("code_challenge_method") != challengeS256 || err != nil || len(digest) != 32 {
		return req, "invalid_request"
	}
	return req, ""
}

// redirectBack redirects the browser to the client, with its state.
func redirectBack(w http.ResponseWriter, r *http.Request, req authorizationRequest, answer url.Values) {
	to := *req.redirect
	query := to.Query()
	maps.Copy(query, answer)
	if req.state != "" {
		query.Set("state", req.state)
	}
	to.RawQuery = query.Encode()
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, to.String(), http.StatusSeeOther)
}

func (i *Issuer) newCode(req authorizationRequest, p persona) string {
	now := i.now()
	i.mu.Lock()
	defer i.mu.Unlock()
	maps.DeleteFunc(i.codes, func(_ string, a authorization) bool { return !now.Before(a.expires) })
	if len(i.codes) >= maxCodes {
		clear(i.codes)
	}
	code := rand.Text()
	i.codes[code] = authorization{req, p, now.Add(codeTTL)}
	return code
}

// takeCode returns the authorization of a code, only once.
func (i *Issuer) takeCode(code string) (authorization, bool) {
	now := i.now()
	i.mu.Lock()
	defer i.mu.Unlock()
	a, ok := i.codes[code]
	delete(i.codes, code)
	return a, ok && now.Before(a.expires)
}
