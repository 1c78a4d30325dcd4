package web

import (
	"context"
	"net/url"
	"strings"
)

// missingPolicy is the Content-Security-Policy of a binary without the built pages.
const missingPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// pageSecurity are the headers of a page. No other page may frame it, and a page of another site that opened it loses
// its reference. The page keeps its reference to the issuer's window.
func pageSecurity(policy string) map[string]string {
	return map[string]string{
		"Content-Security-Policy": policy, "X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
	}
}

// callbackSecurity are the headers of the page that the issuer redirects to. It has one script, and only the console
// itself frames it, to renew a session.
func callbackSecurity(context.Context) map[string]string {
	return map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; img-src data:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'",
		"X-Frame-Options":         "SAMEORIGIN", // for browsers without frame-ancestors
	}
}

// paymentsPolicy is the Content-Security-Policy of Payments. Scripts and styles must be the page's own files. Images
// may be data: URIs, for icons and the QR codes in responses.
func paymentsPolicy(issuer string) string {
	return strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'" + issuer,
		"frame-src 'self'" + issuer, "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
	}, "; ")
}

// graphiqlPolicy is that of GraphiQL. Monaco has workers and a font, and needs inline styles for its theme and the
// positions of lines.
func graphiqlPolicy(issuer string) string {
	return strings.Replace(paymentsPolicy(issuer), "style-src 'self'", "worker-src 'self'; font-src 'self'; style-src 'self' 'unsafe-inline'", 1)
}

// origins returns the origins that a page may request a token from, each after a space.
func (s *SignIn) origins(ctx context.Context) string {
	if s.Origins == nil {
		return issuerOrigins(s.Issuer)
	}
	return issuerOrigins(append([]string{s.Issuer}, s.Origins(ctx)...)...)
}

// issuerOrigins returns the origins of URLs, each after a space. It omits texts that are not absolute http or https
// URLs.
func issuerOrigins(urls ...string) (origins string) {
	for _, text := range urls {
		u, err := url.Parse(text)
		if err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") && !strings.ContainsAny(u.Host, " ;,'\"*") {
			origins += " " + u.Scheme + "://" + u.Host
		}
	}
	return origins
}
