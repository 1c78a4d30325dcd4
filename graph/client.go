package graph

import "net/http"

// Client is what a client calls itself, by the headers that Apollo's clients send. Nobody checks it, so it is for looking
// at, not for deciding.
type Client struct {
	Name, Version string // "" where it does not say; "invalid" where it says what is no such text
}

// The headers that tell the client.
const (
	headerClientName    = "Apollographql-Client-Name"
	headerClientVersion = "Apollographql-Client-Version"
)

// maxClient bounds what a client may call itself, in bytes: real ones are reverse domain names and build numbers.
const maxClient = 64

// invalidClient stands for what is no name, so that no text of a stranger's choice gets into logs and metrics.
const invalidClient = "invalid"

// ClientOf reads what the client calls itself.
func ClientOf(header http.Header) Client {
	return Client{clientText(header.Get(headerClientName)), clientText(header.Get(headerClientVersion))}
}

// clientText admits letters, digits and a few marks; "@" is not among them, so that no e-mail address is one.
func clientText(text string) string {
	if len(text) > maxClient {
		return invalidClient
	}
	digits := 0 // in a row
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

// maxDigits is how many digits may stand in a row: a build number may have ten, a CPF has eleven.
const maxDigits = 10
