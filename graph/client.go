package graph

import "net/http"

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

// clientText accepts letters, digits and a few punctuation marks. It does not accept "@", so an e-mail address is
// invalid.
func clientText(text string) string {
	if len(text) > maxClient {
		return invalidClient
	}
	digits := 0 // consecutive ones so far
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9':
			if digits++; digits > maxDigits {
				return invalidClient
			}
			continue
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '.', c == '_', c == '-', c == '+', c == '/', c == ' ':
		default:
			return invalidClient
		}
		digits = 0
	}
	return text
}

// maxDigits bounds consecutive digits: a build number may have ten, a CPF has eleven.
const maxDigits = 10
