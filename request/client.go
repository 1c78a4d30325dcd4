package request

import (
	"net/http"
	"strings"
)

// Client is the name and version of a client, from the headers that Apollo's clients send. They are not verified: use
// them for logs and metrics, never for decisions.
type Client struct {
	Name, Version string // "" if absent; "invalid" if not acceptable
}

// The headers that identify the client.
const (
	headerClientName    = "Apollographql-Client-Name"
	headerClientVersion = "Apollographql-Client-Version"
)

// maxClient bounds the name and the version, in bytes. Usual values are reverse domain names and build numbers.
const maxClient = 64

// invalidClient replaces an unacceptable text, so that arbitrary text does not reach logs and metrics.
const invalidClient = "invalid"

// ClientOf reads the name and version of the client.
func ClientOf(header http.Header) Client {
	return Client{clientText(header.Get(headerClientName)), clientText(header.Get(headerClientVersion))}
}

// clientCharacters are the acceptable characters. Without "@", an e-mail address is invalid.
const clientCharacters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz._-+/ "

// maxDigits bounds consecutive digits: a build number may have ten, a CPF has eleven.
const maxDigits = 10

func clientText(text string) string {
	if len(text) > maxClient || strings.Trim(text, clientCharacters) != "" {
		return invalidClient
	}
	for digits := range strings.FieldsFuncSeq(text, func(c rune) bool { return c < '0' || c > '9' }) {
		if len(digits) > maxDigits {
			return invalidClient
		}
	}
	return text
}
