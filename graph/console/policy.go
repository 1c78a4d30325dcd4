package console

import (
	"errors"
	"net/url"
	"strings"
)

// missingPolicy is the Content-Security-Policy of a binary without the built page.
const missingPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// pageSecurity are the headers of the page. No other page may frame it, and a page of another site that opened it loses
// its reference. The page keeps its reference to the issuer's window.
func pageSecurity(policy string) map[string]string {
	return map[string]string{
		"Content-Security-Policy": policy, "X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
	}
}

// callbackSecurity are the headers of the page that the issuer redirects to. It has one script, and only the console
// itself frames it, to renew a session.
func callbackSecurity() map[string]string {
	return map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; img-src data:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'",
		"X-Frame-Options":         "SAMEORIGIN", // for browsers without frame-ancestors
	}
}

// pagePolicy is the Content-Security-Policy of the page. Monaco needs inline styles for its theme and the positions of
// lines, so they are allowed. Scripts must be the page's own files. Images may be data: URIs, for icons and images in
// responses.
func pagePolicy(signIn *SignIn) (string, error) {
	issuer := ""
	if signIn != nil {
		origins, err := issuerOrigins(*signIn)
		if err != nil {
			return "", err
		}
		issuer = " " + strings.Join(origins, " ")
	}
	return strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "worker-src 'self'", "style-src 'self' 'unsafe-inline'",
		"img-src 'self' data:", "font-src 'self'", "connect-src 'self'" + issuer, "frame-src 'self'" + issuer,
		"frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
	}, "; "), nil
}

// issuerOrigins are the origins that the page may request a token from.
func issuerOrigins(signIn SignIn) ([]string, error) {
	var origins []string
	for _, text := range append([]string{signIn.Issuer}, signIn.Origins...) {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || strings.ContainsAny(u.Host, " ;,'\"") {
			return nil, errors.New("console: an issuer that is not an absolute http or https URL")
		}
		origins = append(origins, u.Scheme+"://"+u.Host)
	}
	return origins, nil
}
