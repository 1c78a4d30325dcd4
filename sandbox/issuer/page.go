package issuer

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"strings"
)

const pageStyle = `body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem;color:#1b1b1f}
button{display:block;width:100%;margin:.75rem 0;padding:.75rem 1rem;text-align:left;font:inherit;border:1px solid #888;border-radius:.5rem;background:#fff;cursor:pointer}
button:hover,button:focus-visible{background:#eef4ff;border-color:#2457c5}
small{display:block;color:#555}`

// pageStart and pageEnd need no script and no asset: each persona is a submit button. The page has no template, which
// would make the binary larger by half (docs/decisions/deployment.md).
const (
	pageStart = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pixgraph sandbox: sign in</title>
<style>` + pageStyle + `</style>
</head>
<body>
<main>
<h1>Sign in to the sandbox</h1>
`
	pageEnd = `</form>
</main>
</body>
</html>
`
)

// servePage shows the choice of personas. The form includes the request's parameters and is submitted to the page's own
// address.
func (i *Issuer) servePage(w http.ResponseWriter, req authorizationRequest, query url.Values) {
	sum := sha256.Sum256([]byte(pageStyle))
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	// form-action must also allow the address that the form's response redirects to.
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; style-src 'sha256-"+
		base64.StdEncoding.EncodeToString(sum[:])+"'; form-action 'self' "+req.redirect.Scheme+"://"+req.redirect.Host)
	var page strings.Builder
	page.WriteString(pageStart)
	write := func(format string, texts ...string) {
		escaped := make([]any, len(texts))
		for i, text := range texts {
			escaped[i] = html.EscapeString(text)
		}
		fmt.Fprintf(&page, format, escaped...)
	}
	write("<p>%s asks for a token. There are no passwords here: choose who to be.</p>\n<form method=\"post\">\n", req.client)
	for _, name := range authorizationParameters() {
		if query.Has(name) {
			write("<input type=\"hidden\" name=\"%s\" value=\"%s\">\n", name, query.Get(name))
		}
	}
	for _, p := range personas() {
		write("<button name=\"persona\" value=\"%s\">%s<small>%s</small></button>\n", p.Key, p.Title, p.About)
	}
	page.WriteString(pageEnd)
	_, _ = io.WriteString(w, page.String()) // fails if the connection is closed, and then no client reads it
}
