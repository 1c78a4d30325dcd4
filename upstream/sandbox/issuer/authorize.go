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

	// sessionCookie remembers the last persona. It is no secret and not signed:
	// anyone may choose any persona.
	sessionCookie = "pixgraph_sandbox_persona"
	// codeTTL is well above what a redirect takes (RFC 6749 section 4.1.2
	// allows ten minutes).
	codeTTL = time.Minute
	// maxCodes bounds the codes that nobody came back for.
	maxCodes = 1000
	// maxFormBytes is many times what any of the forms holds.
	maxFormBytes = 64 << 10
)

// authorizationRequest is a valid request for a code (RFC 6749 section 4.1.1,
// RFC 7636 section 4.3).
type authorizationRequest struct {
	client, challenge, nonce, state, prompt string
	redirect                                *url.URL
	redirectURI                             string // redirect to the letter, which the token endpoint compares
	openID                                  bool
}

// authorization is what a code stands for until it is redeemed.
type authorization struct {
	authorizationRequest
	persona persona
	expires time.Time
}

// authorizationParameters are those that the page's form takes along. prompt
// is not: whoever chose on the page has been asked.
func authorizationParameters() []string {
	return []string{"response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge", "code_challenge_method"}
}

// serveAuthorize shows the page on GET, takes the choice on POST, and with
// prompt=none answers for the persona chosen last.
func (i *Issuer) serveAuthorize(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodPost {
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxFormBytes)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "the request is no form", http.StatusBadRequest)
		return
	}
	redirect, err := url.Parse(r.Form.Get("redirect_uri"))
	if err != nil || !loopback(redirect) || redirect.Fragment != "" {
		// Nowhere to redirect to: the browser's user is told.
		http.Error(w, "redirect_uri must be an http address on loopback", http.StatusBadRequest)
		return
	}
	req, problem := parseAuthorization(r.Form, redirect)
	if problem != "" {
		redirectBack(w, r, req, url.Values{"error": {problem}})
		return
	}
	if r.Method == http.MethodPost {
		p, ok := personaOf(r.PostForm.Get("persona"))
		if !ok {
			redirectBack(w, r, req, url.Values{"error": {"access_denied"}})
			return
		}
		http.SetCookie(w, &http.Cookie{
			Name: sessionCookie, Value: p.Key, Path: r.URL.Path,
			HttpOnly: true, SameSite: http.SameSiteLaxMode,
		})
		redirectBack(w, r, req, url.Values{"code": {i.newCode(req, p)}})
		return
	}
	if req.prompt != promptNone {
		i.servePage(w, req, r.Form)
		return
	}
	var last string
	if c, err := r.Cookie(sessionCookie); err == nil {
		last = c.Value
	}
	p, ok := personaOf(last)
	if !ok {
		redirectBack(w, r, req, url.Values{"error": {"login_required"}})
		return
	}
	redirectBack(w, r, req, url.Values{"code": {i.newCode(req, p)}})
}

// parseAuthorization reads the parameters; problem is an OAuth error code, or
// empty.
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

// redirectBack sends the browser back to the client, its state with it.
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

// takeCode gives what a code stands for, once.
func (i *Issuer) takeCode(code string) (authorization, bool) {
	now := i.now()
	i.mu.Lock()
	defer i.mu.Unlock()
	a, ok := i.codes[code]
	delete(i.codes, code)
	return a, ok && now.Before(a.expires)
}
