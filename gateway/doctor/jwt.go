package doctor

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"pixgraph/auth"
)

// jwt is what a token says of itself. Nothing of it is verified.
type jwt struct {
	whole          string
	header, claims map[string]json.RawMessage // nil if it is not a signed JWT
}

func parseJWT(token string) jwt {
	t := jwt{whole: token}
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return t
	}
	for i, into := range []*map[string]json.RawMessage{&t.header, &t.claims} {
		text, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil || json.Unmarshal(text, into) != nil {
			return jwt{whole: token}
		}
	}
	return t
}

// text returns a member as it is shown: texts without quotation marks, and "absent" without one.
func (t jwt) text(members map[string]json.RawMessage, name string) string {
	var list []string
	value, ok := members[name]
	if !ok {
		return "absent"
	}
	if json.Unmarshal(value, &list) != nil {
		list = []string{strings.Trim(string(value), `"`)}
	}
	return strings.Join(list, ", ")
}

// shape names the form of a value.
func shape(value json.RawMessage) string {
	var list []json.RawMessage
	switch value = bytes.TrimSpace(value); {
	case json.Unmarshal(value, &list) == nil && value[0] == '[':
		for _, element := range list {
			if inner := shape(element); inner != "a text" {
				return "a list with " + inner
			}
		}
		return "a list of texts"
	case value[0] == '"':
		return "a text"
	case value[0] == '{':
		return "an object"
	case value[0] == 't' || value[0] == 'f':
		return "a Boolean"
	case value[0] == 'n':
		return "null"
	default:
		return "a number"
	}
}

// wrong returns which of the claims have a form that they should not have, such as "exp is a text".
func (t jwt) wrong(forms map[string][]string) (list []string) {
	for name, allowed := range forms {
		if value, ok := t.claims[name]; ok && !slices.Contains(allowed, shape(value)) {
			list = append(list, name+" is "+shape(value))
		}
	}
	slices.Sort(list)
	return list
}

// Forms of claims.
var (
	scopeForms = map[string][]string{
		"scope": {"a text", "a list of texts", "null"}, "scp": {"a text", "a list of texts", "null"},
		"permissions": {"a text", "a list of texts", "null"}, "roles": {"a text", "a list of texts", "null"},
	}
	registeredForms = map[string][]string{
		"iss": {"a text"}, "sub": {"a text"}, "aud": {"a text", "a list of texts"}, "cnf": {"an object", "null"},
		"exp": {"a number"}, "nbf": {"a number", "null"}, "iat": {"a number", "null"},
	}
)

// at returns a claim that is a time.
func (t jwt) at(name string) string {
	var seconds float64
	if json.Unmarshal(t.claims[name], &seconds) != nil {
		return t.text(t.claims, name)
	}
	return time.Unix(int64(seconds), 0).UTC().Format(time.RFC3339)
}

// explain returns what the token says about the reason of its refusal, and what to do about it.
func (t jwt) explain(reason auth.Reason) (says, hint string) {
	key := "it has no kid"
	if _, ok := t.header["kid"]; ok {
		key = "it has a kid"
	}
	switch reason {
	case auth.ReasonMalformed:
		return t.malformed()
	case auth.ReasonAlgorithm:
		return "its alg is " + t.text(t.header, "alg"), "the issuer must sign with RS, PS or ES and 256, 384 or 512, or with EdDSA"
	case auth.ReasonIssuer:
		return "its iss is " + t.text(t.claims, "iss"), "auth_issuer must contain the token's iss exactly"
	case auth.ReasonAudience:
		return "its aud is " + t.text(t.claims, "aud"), "auth_audience must contain one of the token's aud"
	case auth.ReasonExpired:
		return "at " + t.at("exp"), "get a new one"
	case auth.ReasonNotYetValid:
		return "nbf " + t.at("nbf") + ", iat " + t.at("iat"), "check that the clocks of issuer and gateway agree, to " + auth.Leeway.String()
	case auth.ReasonInvalidClaims:
		wrong := t.wrong(registeredForms)
		for _, name := range []string{"sub", "exp"} {
			if value, ok := t.claims[name]; !ok || string(value) == `""` {
				wrong = append(wrong, name+" is missing")
			}
		}
		return strings.Join(wrong, ", "), "it is not an access token for an API: check iss, sub, aud, exp and cnf"
	case auth.ReasonIDToken:
		return "", "pass the access token: access_token in the response of the issuer, not id_token"
	case auth.ReasonKeyBound:
		return "", "register the client without DPoP, or set auth_token_binding=proxy if a proxy in front of the gateway checks the proofs"
	case auth.ReasonCertificateBound:
		return "", "set tls_client_ca, so that clients connect with their certificates, or auth_token_binding=proxy if a proxy checks them"
	case auth.ReasonUnknownKey:
		return key, "the issuer does not publish that key now: get a new token"
	case auth.ReasonSignature:
		return key, "the token was modified, or it was signed with another key"
	case auth.ReasonUnavailable:
		return "", "see the issuers above"
	default:
		return "", ""
	}
}

func (t jwt) malformed() (says, hint string) {
	switch {
	case len(t.whole) > auth.MaxTokenBytes:
		return fmt.Sprintf("it has %d bytes, and at most %d are accepted", len(t.whole), auth.MaxTokenBytes), "the issuer must put less into it, such as fewer groups"
	case strings.Contains(t.whole, " "):
		return "it has a space", "pass only the token, without \"Bearer \""
	case t.header != nil:
		return "its typ is " + t.text(t.header, "typ"), "pass an access token, whose typ is JWT or at+jwt, without crit"
	case strings.Count(t.whole, ".") == 4:
		return "it is encrypted", "the issuer must sign access tokens for this audience, and not encrypt them"
	default:
		return "it is opaque: not a signed JWT",
			"the issuer must give out JWTs for this audience; auth_mode=forward is for tokens that only the APIs can verify"
	}
}
