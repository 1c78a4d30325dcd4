package issuer

const (
	grantCode   = "authorization_code"
	grantDirect = "client_credentials"
)
