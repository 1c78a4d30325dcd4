package issuer

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"
)

const pageStyle = `body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem;color:#1b1b1f}
button{display:block;width:100%;margin:.75rem 0;padding:.75rem 1rem;text-align:left;font:inherit;border:1px solid #888;border-radius:.5rem;background:#fff;cursor:pointer}
button:hover,button:focus-visible{background:#eef4ff;border-color:#2457c5}
small{display:block;color:#555}`

// pageText needs no script and no asset: each persona is a submit button.
const pageText = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pixgraph sandbox: sign in</title>
<style>{{.Style}}</style>
</head>
<body>
<main>
<h1>Sign in to the sandbox</h1>
<p>{{.Client}} asks for a token. There are no passwords here: choose who to be.</p>
<form method="post">
{{range $name, $value := .Parameters}}<input type="hidden" name="{{$name}}" value="{{$value}}">
{{end}}{{range .Personas}}<button name="persona" value="{{.Key}}">{{.Title}}<small>{{.About}}</small></button>
{{end}}</form>
</main>
</body>
</html>
`

// servePage shows the choice of personas. The form includes the request's parameters and is submitted to the page's own
// address.
func (i *Issuer) servePage(w http.ResponseWriter, req authorizationRequest, query url.Values) {
	kept := make(map[string]string)
	for _, name := range authorizationParameters() {
		if query.Has(name) {
			kept[name] = query.Get(name)
		}
	}
	sum := sha256.Sum256([]byte(pageStyle))
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	// form-action must also allow the address that the form's response redirects to.
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; style-src 'sha256-"+
		base64.StdEncoding.EncodeToString(sum[:])+"'; form-action 'self' "+req.redirect.Scheme+"://"+req.redirect.Host)
	// The template cannot fail for this data. A closed connection can cause an error, and then no client reads it.
	_ = i.page.Execute(w, struct {
		Style      template.CSS
		Client     string
		Parameters map[string]string
		Personas   []persona
	}{pageStyle, req.client, kept, personas()})
}
