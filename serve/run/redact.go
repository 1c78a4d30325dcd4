package run

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// redact removes from the errors of gqlgen and gqlparser what they quote from the request: literals, values of
// variables, the rest of a document after a malformed escape. Names of a reasonable length stay, because the client
// needs them to find the error. Errors of the gateway stay unchanged.
//
// The list is truncated to the limit of a response, to avoid formatting 10,000 errors of which 100 are sent.
func (r *Runner) redact(list gqlerror.List, operation *graphql.OperationContext) gqlerror.List {
	if operation.Doc != nil && operation.Operation == nil {
		if operation.OperationName == "" {
			return gqlerror.List{errWhichOperation.Wrap()}
		}
		return gqlerror.List{errUnknownOperation.Wrap()}
	}
	list = list[:min(len(list), r.MaxErrors+1)]
	for i, err := range list {
		switch code, _ := err.Extensions["code"].(string); {
		case code == errcode.ParseFailed:
			list[i] = redacted(err, redactParse(err.Message))
		case code == errcode.ValidationFailed && len(err.Path) > 0:
			list[i] = redacted(err, redactVariable(err.Path, err.Message))
		case code == errcode.ValidationFailed:
			list[i] = redacted(err, redactValidation(err.Message))
		}
	}
	return list
}

// redacted returns a copy with another message and without a path: a path in a response must be a response path.
func redacted(err *gqlerror.Error, message string) *gqlerror.Error {
	if message == err.Message && len(err.Path) == 0 {
		return err
	}
	copied := *err
	copied.Message, copied.Path, copied.Err = message, nil, nil
	return &copied
}

// maxMessage bounds a message, in bytes: a conflict of fields lists all of their ancestors. A much longer message is
// replaced without further processing, since every error of a document may quote the same long name.
const maxMessage = 400

// maxName bounds a name in a message, in bytes. The longest name of the schema has 30.
const maxName = 64

// How gqlparser quotes the request.
var (
	// token matches the parser's report of an unexpected token: 'Unexpected String "…"'. It ends the message.
	token = regexp.MustCompile(`(?s)\b(Name|Int|Float|String|BlockString|Comment) ".*$`)
	// literal matches a value in the message of a validation rule: '… value: 12.', '…, found "x".'. It ends the
	// message.
	literal = regexp.MustCompile(`(?s)(: |, found ).*$`)
	// harmless matches the messages about variables that quote nothing but types.
	harmless = regexp.MustCompile(`^(must be defined|cannot be null|has more than \d+ elements|must be( a| of type)? \w+, not( a)? \w+|` +
		`is not a value of \w+|must be the name of an enum value|is an unknown field)$`)
	// rewritten are gqlparser's messages about variables that quote a value, or do not continue "variable $name".
	rewritten = []struct {
		message *regexp.Regexp
		to      string
	}{
		{regexp.MustCompile(`^cannot use (\w+) as (\w+)$`), "must be of type $2, not $1"},
		{regexp.MustCompile(`(?s)^.* is not a valid (\w+)$`), "is not a value of $1"},
		{regexp.MustCompile(`^enums must be ints or strings$`), "must be the name of an enum value"},
		{regexp.MustCompile(`^unknown field$`), "is an unknown field"},
	}
	// quoted matches any other quotation; in a rule about names it is a name.
	quoted = regexp.MustCompile(`(?s)"[^"]*("|$)`)
	// name matches a name or a type as a rule formats it: '$id', '@skip', 'Transaction.id', '[ID!]!'.
	name = regexp.MustCompile(`^[$@]?[\[\]!._A-Za-z0-9]+$`)
)

func redactParse(message string) string {
	message = message[:min(len(message), maxMessage)] // the quotation is at the end and is removed
	switch {
	case strings.HasPrefix(message, "exceeded token limit"):
		return message
	case strings.HasPrefix(message, "Expected"), strings.HasPrefix(message, "Unexpected"):
		return bound(token.ReplaceAllString(message, "$1"))
	}
	// The lexer's messages: 'Invalid character escape sequence: \…'.
	if at := strings.IndexAny(message, `":`); at >= 0 {
		message = strings.TrimSpace(message[:at])
	}
	return bound(message)
}

func redactValidation(message string) string {
	if len(message) > 4*maxMessage {
		return genericMessage
	}
	message = literal.ReplaceAllString(message, "")
	message = quoted.ReplaceAllStringFunc(message, func(text string) string {
		if inner := strings.Trim(text, `"`); len(inner) <= maxName && name.MatchString(inner) {
			return text
		}
		return `"…"`
	})
	return bound(message)
}

// redactVariable returns a message with the location of the value in the variables, as far as its steps are valid
// names: the last step of an unknown field is text of the client.
func redactVariable(path ast.Path, message string) string {
	var place strings.Builder
	place.WriteByte('$')
	for i, step := range path[1:] {
		switch step := step.(type) {
		case ast.PathName:
			if len(step) > maxName || !name.MatchString(string(step)) {
				step = "…"
			}
			if i > 0 {
				place.WriteByte('.')
			}
			place.WriteString(string(step))
		case ast.PathIndex:
			place.WriteString("[" + strconv.Itoa(int(step)) + "]")
		}
	}
	for _, rule := range rewritten {
		message = rule.message.ReplaceAllString(message, rule.to)
	}
	if !harmless.MatchString(message) {
		message = "is not valid for its type"
	}
	return bound("variable " + place.String() + " " + message)
}

func bound(message string) string {
	if len(message) > maxMessage {
		return genericMessage
	}
	return message
}

// genericMessage replaces a message that is too long.
const genericMessage = "the document is not valid for the schema"
