module pixgraph/tools/load

go 1.26.0

require (
	github.com/gobwas/ws v1.4.0
	github.com/prometheus/procfs v0.22.0
	github.com/vektah/gqlparser/v2 v2.5.64
	pixgraph v0.0.0
)

require (
	github.com/agnivade/levenshtein v1.2.2 // indirect
	github.com/coreos/go-oidc/v3 v3.21.0 // indirect
	github.com/go-jose/go-jose/v4 v4.1.8 // indirect
	github.com/gobwas/httphead v0.1.0 // indirect
	github.com/gobwas/pool v0.2.1 // indirect
	github.com/gomodule/redigo v1.9.3 // indirect
	golang.org/x/oauth2 v0.37.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	rsc.io/qr v0.2.0 // indirect
)

replace pixgraph => ../..
