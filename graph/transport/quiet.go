package transport

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// quiet takes out of the errors of gqlgen and gqlparser what they quote of the request: literals, values of variables,
// the rest of a document behind a broken escape. Names stay, as long as they are names of a sensible length: without them
// nobody can tell which of a document's fields is meant. Errors of extensions are left as they are.
//
// The list is cut where the answer would be: presenting 10,000 errors to show 100 is work for nothing.
func (t *Transport) quiet(list gqlerror.List, operation *graphql.OperationContext) gqlerror.List {
	if operation.Doc != nil && operation.Operation == nil {
		if operation.OperationName == "" {
			return wrap(errWhichOperation)
		}
		return wrap(errUnknownOperation)
	}
	list = list[:min(len(list), t.config.MaxErrors+1)]
	for i, err := range list {
		switch code, _ := err.Extensions["code"].(string); {
		case code == errcode.ParseFailed:
			list[i] = quieted(err, quietParse(err.Message))
		case code == errcode.ValidationFailed && len(err.Path) > 0:
			list[i] = quieted(err, quietVariable(err.Path, err.Message))
		case code == errcode.ValidationFailed:
			list[i] = quieted(err, quietValidation(err.Message))
		}
	}
	return list
}

// quieted is a copy with another message. It has no path: a path is one of the answer.
func quieted(err *gqlerror.Error, message string) *gqlerror.Error {
	if message == err.Message && len(err.Path) == 0 {
		return err
	}
	copied := *err
	copied.Message, copied.Path, copied.Err = message, nil, nil
	return &copied
}

// maxMessage bounds a message, in bytes: conflicts of fields tell their whole ancestry. A much longer one is not even
// looked at: every error of a document may quote one long name of it.
const maxMessage = 400

// maxName bounds a name that is repeated, in bytes. The longest of the schema has 30.
const maxName = 64

// The ways in which gqlparser quotes.
var (
	// token is how the parser tells what it found: 'Unexpected String "…"'. It is the end of the message.
	token = regexp.MustCompile(`(?s)\b(Name|Int|Float|String|BlockString|Comment) ".*$`)
	// literal is how the rules of validation tell a value: '… value: 12.', '…, found "x".'. It is the end of the message.
	literal = regexp.MustCompile(`(?s)(: |, found ).*$`)
	// harmless are the messages about a variable that quote nothing but types.
	harmless = regexp.MustCompile(`^(must be defined|cannot be null|unknown field|enums must be ints or strings|` +
		`cannot use \w+ as \w+|must be a \w+, not a \w+)$`)
	// quoted is what else they quote, which is a name where the rule is about names.
	quoted = regexp.MustCompile(`(?s)"[^"]*("|$)`)
	// name is a name or a reference to a type, as a rule writes it: '$id', '@skip', 'Transaction.id', '[ID!]!'.
	name = regexp.MustCompile(`^[$@]?[\[\]!._A-Za-z0-9]+$`)
)

func quietParse(message string) string {
	message = message[:min(len(message), maxMessage)] // what is quoted is at the end, and goes
	switch {
	case strings.HasPrefix(message, "exceeded token limit"):
		return message
	case strings.HasPrefix(message, "Expected"), strings.HasPrefix(message, "Unexpected"):
		return bound(token.ReplaceAllString(message, "$1"))
	}
	// The lexer's own: 'Invalid character escape sequence: \…'.
	if at := strings.IndexAny(message, `":`); at >= 0 {
		message = strings.TrimSpace(message[:at])
	}
	return bound(message)
}

func quietValidation(message string) string {
	if len(message) > 4*maxMessage {
		return unfit
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

// quietVariable tells the place of a value within the variables, as far as names of the schema go: the last of an unknown
// field is the client's own.
func quietVariable(path ast.Path, message string) string {
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
	if !harmless.MatchString(message) {
		message = "does not fit its type"
	}
	return bound("variable " + place.String() + " " + message)
}

func bound(message string) string {
	if len(message) > maxMessage {
		return unfit
	}
	return message
}

// unfit is said where what gqlparser says is too long.
const unfit = "the document does not fit the schema"
