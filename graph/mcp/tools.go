package mcp

import (
	"embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/apierror"
	"pixgraph/upstream/pix"
)

// documents has the operation of each tool, in a file of its name. The operation has that name, which the log shows.
//
//go:embed documents
var documents embed.FS

// tool is a query that models can run.
type tool struct {
	name, title, description string
	arguments                []argument
	// variables returns the variables of the document for valid arguments; those that are absent are "" or nil.
	variables func(texts map[string]string, ids []any) map[string]any

	document  string
	selection *selection
	personal  bool // whether the document has the variable personal
}

// argument is a member of the arguments of a tool: a string, or a list of ids.
type argument struct {
	name, description string
	valid             func(string) bool
	rule              string // completes "must be …"
	required, list    bool
	values            []string // all values, if they are few
}

// maxKnown bounds the notification ids of a call.
const maxKnown = 20

// maxCode is the longest text of a Pix code that is read.
const maxCode = 1024

// tools returns the tools, whose documents are not loaded.
func tools() []*tool {
	return []*tool{
		{
			name: "find_payment", title: "Find a payment",
			description: "Finds the transaction, the withdrawal or the notification (webhook) with an id, or the withdrawal with an EndToEndId. " +
				"Deposits cannot be found by an id: a deposit may have a transaction with the same id.",
			arguments: []argument{{
				name: "id", description: "An id of a transaction, a withdrawal or a notification, or an EndToEndId of a withdrawal.", required: true,
				valid: isAnyID, rule: "an id: at most 128 letters, digits and . _ : -",
			}},
			variables: func(texts map[string]string, _ []any) map[string]any {
				id := texts["id"]
				endToEnd := pix.ParseEndToEndID(id)
				v := map[string]any{
					"id": id, "uuid": pix.ValidUUID(id), "v4": pix.ValidUUIDv4(id), "byId": len(endToEnd.Problems) > 0, "byEndToEnd": false,
				}
				if len(endToEnd.Problems) == 0 {
					v["byEndToEnd"] = true
					v[map[pix.EndToEndKind]string{pix.Payment: "endToEnd", pix.Refund: "endToEndRefund"}[endToEnd.Kind]] = id
				}
				return v
			},
		},
		{
			name: "payment_timeline", title: "Timeline of a payment",
			description: "What happened to a transaction or a withdrawal and when: its statuses and its other dates, in the order of time.",
			arguments: []argument{{
				name: "id", description: "The id of a transaction or a withdrawal, a UUID.", required: true, valid: pix.ValidUUID, rule: "a UUID",
			}},
			variables: func(texts map[string]string, _ []any) map[string]any {
				return map[string]any{"id": texts["id"], "v4": pix.ValidUUIDv4(texts["id"])}
			},
		},
		{
			name: "explain_webhooks", title: "Why did no webhook arrive?",
			description: "The webhooks (notifications) about a transaction with a verdict on their delivery and the attempts, or the webhooks with some ids. " +
				"The API cannot list all webhooks of a transaction: those whose ids are unknown are missing, so an empty list proves nothing.",
			arguments: []argument{
				{name: "transactionId", description: "The id of the transaction, a UUID.", valid: pix.ValidUUID, rule: "a UUID"},
				{
					name: "notificationIds", description: "Ids of notifications, if they are known; they suffice without a transaction.", list: true,
					valid: isAnyID, rule: fmt.Sprintf("a list of 1 to %d ids", maxKnown),
				},
			},
			variables: func(texts map[string]string, ids []any) map[string]any {
				id := texts["transactionId"]
				return map[string]any{"id": id, "ids": ids, "byTransaction": id != "", "byIds": id == ""}
			},
		},
		{
			name: "newest_payments", title: "Newest payments",
			description: "The first 20 deposits (incoming) or withdrawals (outgoing) of the API's list. The API does not document its order; usually the newest are first.",
			arguments: []argument{{
				name: "kind", description: "Which list.", required: true, rule: "deposits or withdrawals", values: []string{"deposits", "withdrawals"},
				valid: func(s string) bool { return s == "deposits" || s == "withdrawals" },
			}},
			variables: func(texts map[string]string, _ []any) map[string]any {
				return map[string]any{"deposits": texts["kind"] == "deposits", "withdrawals": texts["kind"] == "withdrawals"}
			},
		},
		{
			name: "read_pix_code", title: "Read a Pix code",
			description: "What the text of a Pix code (BR Code, Pix Copia e Cola) says, and its problems. Nothing is looked up or paid.",
			arguments: []argument{{
				name: "code", description: "The text of the code, as it was copied.", required: true,
				valid: func(s string) bool { return len(s) > 0 && len(s) <= maxCode }, rule: fmt.Sprintf("a text of 1 to %d bytes", maxCode),
			}},
			variables: func(texts map[string]string, _ []any) map[string]any { return map[string]any{"text": texts["code"]} },
		},
	}
}

var anyID = regexp.MustCompile(`^[0-9A-Za-z._:-]{1,128}$`)

func isAnyID(text string) bool { return anyID.MatchString(text) }

// load reads the document of the tool, and derives from the schema what is marked in its results.
func (t *tool) load(schema *ast.Schema) error {
	text, err := documents.ReadFile("documents/" + t.name + ".graphql")
	if err != nil {
		return err
	}
	document, errs := gqlparser.LoadQueryWithRules(schema, string(text), nil)
	if len(errs) > 0 {
		return fmt.Errorf("mcp: %s: %w", t.name, errs)
	}
	operation := document.Operations.ForName(t.name)
	if operation == nil {
		return fmt.Errorf("mcp: %s: its document has no operation of that name", t.name)
	}
	t.document, t.personal = string(text), operation.VariableDefinitions.ForName("personal") != nil
	t.selection = newSelection(schema, operation.SelectionSet)
	return nil
}

// describe returns the tool as clients see it.
func (t *tool) describe() *mcp.Tool {
	properties, required := map[string]any{}, []string{}
	for _, a := range t.arguments {
		property := map[string]any{"type": "string", "description": a.description}
		if a.list {
			property = map[string]any{
				"type": "array", "description": a.description, "items": map[string]any{"type": "string"}, "minItems": 1, "maxItems": maxKnown,
			}
		}
		if a.values != nil {
			property["enum"] = a.values
		}
		properties[a.name] = property
		if a.required {
			required = append(required, a.name)
		}
	}
	closed := false
	return &mcp.Tool{
		Name: t.name, Title: t.title, Description: t.description + " " + marking,
		Annotations: &mcp.ToolAnnotations{Title: t.title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &closed, OpenWorldHint: &closed},
		InputSchema: map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false},
	}
}

// read checks the arguments of a call, and returns the variables of the document.
func (t *tool) read(arguments json.RawMessage) (map[string]any, *apierror.Error) {
	var given map[string]any
	if len(arguments) > 0 && json.Unmarshal(arguments, &given) != nil {
		return nil, apierror.Input("arguments", "must be an object")
	}
	var names []string
	texts, ids := map[string]string{}, []any(nil)
	for _, a := range t.arguments {
		names = append(names, a.name)
		value, isGiven := given[a.name]
		delete(given, a.name)
		text, isText := value.(string)
		list, isList := value.([]any)
		switch {
		case !isGiven && !a.required:
		case !isGiven:
			return nil, apierror.Input(a.name, "is missing: it must be "+a.rule)
		case !a.list && isText && utf8.ValidString(text) && a.valid(text):
			texts[a.name] = text
		case a.list && isList && len(list) > 0 && len(list) <= maxKnown && !slices.ContainsFunc(list, func(one any) bool {
			text, isText := one.(string)
			return !isText || !a.valid(text)
		}):
			ids = list
		default:
			return nil, apierror.Input(a.name, "must be "+a.rule)
		}
	}
	if len(given) > 0 {
		return nil, apierror.Input("arguments", "has an unknown member: the tool accepts "+strings.Join(names, ", "))
	}
	if len(texts) == 0 && ids == nil {
		return nil, apierror.Input("arguments", "is empty: give "+strings.Join(names, " or "))
	}
	return t.variables(texts, ids), nil
}
