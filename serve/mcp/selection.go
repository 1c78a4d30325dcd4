package mcp

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/syntax"
	"pixgraph/upstream/pix"
)

// selection is what a document selects of an object: leaves, then objects, then lists, which are shortened if the rest
// needs the space.
type selection struct{ members []*member }

// member is a selected field.
type member struct {
	name      string
	list      bool
	selection *selection // nil for a leaf
	// trusted reports whether a value, as JSON, can be nothing but what its type says; nil if it may be any text.
	trusted func(json.RawMessage) bool
}

// newSelection derives from the schema how the values of a selection set are marked.
func newSelection(schema *ast.Schema, set ast.SelectionSet) *selection {
	s := &selection{}
	s.add(schema, set)
	rank := func(m *member) int {
		switch {
		case m.list:
			return 2
		case m.selection != nil:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(s.members, func(a, b *member) int { return cmp.Compare(rank(a), rank(b)) })
	return s
}

// add adds the fields of a set. The documents select no field of an object twice.
func (s *selection) add(schema *ast.Schema, set ast.SelectionSet) {
	syntax.Fields(set, nil, func(field *ast.Field) {
		definition := schema.Types[field.Definition.Type.Name()]
		m := &member{name: field.Alias, list: field.Definition.Type.Elem != nil}
		if definition.IsCompositeType() {
			m.selection = newSelection(schema, field.SelectionSet)
		} else {
			m.trusted = trustOf(schema, field.ObjectDefinition.Name+"."+field.Name, definition)
		}
		s.members = append(s.members, m)
	})
}

// trustOf returns the check of the values of a field: by its name, or else by its type. A field without a check is
// untrusted: strings, URLs and JSON are what an API sent, and so is whatever will be added.
func trustOf(schema *ast.Schema, field string, definition *ast.Definition) func(json.RawMessage) bool {
	if form, ok := forms[field]; ok {
		return text(form)
	}
	switch {
	case slices.Contains([]string{"TimelineEntry.status", "NotificationStatusHistory.status"}, field):
		return text(func(s string) bool { return isStatus(schema, s) })
	case definition.Kind == ast.Enum:
		return text(func(s string) bool { return definition.EnumValues.ForName(s) != nil })
	case definition.Name == "ID":
		return text(isRecordID)
	case definition.Name == "DateTime":
		return text(dateTime.MatchString)
	case slices.Contains([]string{"Int", "Float", "Cents", "Decimal", "Boolean"}, definition.Name):
		return func(raw json.RawMessage) bool {
			return len(raw) <= maxDigits && raw[0] != '"' && raw[0] != '{' && raw[0] != '['
		}
	}
	return nil
}

// forms are the fields of type String whose values count as ids or codes if they have this form.
var forms = map[string]func(string) bool{
	"Transaction.endToEnd": isEndToEnd, "Transaction.endToEndRefund": isEndToEnd,
	"Deposit.endToEnd": isEndToEnd, "Deposit.endToEndRefund": isEndToEnd,
	"Withdrawal.endToEnd": isEndToEnd, "Withdrawal.endToEndRefund": isEndToEnd,
	"Notification.referenceId":   isRecordID,
	"PixResponse.expirationDate": dateTime.MatchString,
	"BankAccount.ispb":           digits.MatchString,
	"BRCode.currency":            digits.MatchString,
	"BRCode.merchantCategory":    digits.MatchString,
	"BRCode.country":             func(s string) bool { return s == "BR" },
	"PixProblem.field":           problemField.MatchString,
	"Delivery.explanation":       func(string) bool { return true }, // written by the gateway
}

const maxDigits = 40 // of a number; amounts have 19

var (
	// recordID matches ids that hold no words: UUIDs, and the hexadecimal ids of notifications.
	recordID     = regexp.MustCompile(`^[0-9a-fA-F]{16,64}$`)
	digits       = regexp.MustCompile(`^[0-9]{3,8}$`)
	dateTime     = regexp.MustCompile(`(?i)^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?)?$`)
	problemField = regexp.MustCompile(`^([0-9]{2}(\.[0-9]{2})*|kind|ispb|minute|sequence)$`)
)

func isRecordID(s string) bool { return pix.ValidUUID(s) || recordID.MatchString(s) }

// isStatus reports whether a text is a value of an enumeration of statuses: fields that have the text of the API.
func isStatus(schema *ast.Schema, s string) bool {
	for name, definition := range schema.Types {
		if strings.HasSuffix(name, "Status") && definition.Kind == ast.Enum && definition.EnumValues.ForName(s) != nil {
			return true
		}
	}
	return false
}

func isEndToEnd(s string) bool { return len(pix.ParseEndToEndID(s).Problems) == 0 }

// maxTrusted bounds a text that is checked, in bytes. The gateway's explanations have below 200.
const maxTrusted = 400

// text returns the check of a JSON string whose text has a form.
func text(form func(string) bool) func(json.RawMessage) bool {
	return func(raw json.RawMessage) bool {
		var s string
		return len(raw) <= maxTrusted && json.Unmarshal(raw, &s) == nil && form(s)
	}
}

// untrusted returns the name of a member whose value other people may have written.
func untrusted(name string) string { return "untrusted" + strings.ToUpper(name[:1]) + name[1:] }
