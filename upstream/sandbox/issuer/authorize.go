package issuer

import "time"

const (
	scopeOpenID   = "openid"
	challengeS256 = "S256"
	promptNone    = "none"
	promptLogin   = "login"
)

// authorization is what a code stands for until it is redeemed.
type authorization struct {
	client, redirect, challenge, nonce string
	openID                             bool
	persona                            persona
	expires                            time.Time
}
