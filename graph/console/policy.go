package console

import (
	"errors"
	"net/url"
	"strings"
)

// missingPolicy is the Content-Security-Policy of the page of a binary that has none.
const missingPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// pageSecurity are the headers of the page under its policy. Nobody frames it, and a page of another site that opened it
// loses hold of it; the issuer's window keeps its place behind it.
func pageSecurity(policy string) map[string]string {
	return map[string]string{
		"Content-Security-Policy": policy, "X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
	}
}

// callbackSecurity are the headers of the page that the issuer redirects to: it has one script, and only the console
// itself frames it, when it renews a session.
func callbackSecurity() map[string]string {
	return map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; img-src data:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'",
		"X-Frame-Options":         "SAMEORIGIN", // for browsers that know no frame-ancestors
	}
}

// pagePolicy is the Content-Security-Policy of the page. Monaco writes its theme and the place of each line as inline
// styles, so those are allowed; scripts are the page's own files and nothing else. Images are data: URIs: those that an
// answer holds, and icons.
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

// issuerOrigins are the origins that the page may ask for a token.
func issuerOrigins(signIn SignIn) ([]string, error) {
	var origins []string
	for _, text := range append([]string{signIn.Issuer}, signIn.Origins...) {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || strings.ContainsAny(u.Host, " ;,'\"") {
			return nil, errors.New("console: an issuer that is no absolute http or https URL")
		}
		origins = append(origins, u.Scheme+"://"+u.Host)
	}
	return origins, nil
}
