package mcp

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/apierror"
	"pixgraph/upstream/pix"
)

// files has what clients see of the tools, and the document of each in a file of its name. Its operation has that name
// too, which the log shows.
//
//go:embed tools
var files embed.FS

// tool is a query that models can run.
type tool struct {
	mcp.Tool
	Input jsonschema.Schema `json:"inputSchema"` // clients see it as Tool.InputSchema

	members   map[string]*jsonschema.Resolved // of Input
	statuses  map[string][]string             // of each kind, for the member status
	document  string
	selection *selection
}

// variables returns the variables of each document for arguments that match the schema of the tool.
var variables = map[string]func(given map[string]any) map[string]any{
	"find_payment": func(given map[string]any) map[string]any {
		id, _ := given["id"].(string)
		parsed := pix.ParseEndToEndID(id)
		isEndToEnd := len(parsed.Problems) == 0
		v := map[string]any{"id": id, "uuid": pix.ValidUUID(id), "v4": pix.ValidUUIDv4(id), "byId": !isEndToEnd, "byEndToEnd": isEndToEnd}
		if isEndToEnd {
			v[map[pix.EndToEndKind]string{pix.Payment: "endToEnd", pix.Refund: "endToEndRefund"}[parsed.Kind]] = id
		}
		return v
	},
	"payment_timeline": func(given map[string]any) map[string]any {
		id, _ := given["id"].(string)
		return map[string]any{"id": id, "v4": pix.ValidUUIDv4(id)}
	},
	"explain_webhooks": func(given map[string]any) map[string]any {
		id, byTransaction := given["transactionId"].(string)
		ids, _ := given["notificationIds"].([]any)
		return map[string]any{"id": id, "ids": ids, "byTransaction": byTransaction, "byIds": !byTransaction}
	},
	"newest_payments": func(given map[string]any) map[string]any {
		kind, _ := given["kind"].(string)
		v := map[string]any{"deposits": kind == "deposits", "withdrawals": kind == "withdrawals"}
		if status, ok := given["status"]; ok {
			v[strings.TrimSuffix(kind, "s")+"Status"] = status
		}
		return v
	},
	"read_pix_code": func(given map[string]any) map[string]any { return map[string]any{"text": given["code"]} },
}

// statuses are the enumerations of the statuses of each kind of payment.
var statuses = map[string]string{"deposits": "DepositStatus", "withdrawals": "WithdrawalStatus"}

// readTools reads the tools, and derives from the schema of GraphQL what is marked in their results.
func readTools(schema *ast.Schema) (tools []*tool, err error) {
	text, err := files.ReadFile("tools/tools.json")
	if err == nil {
		err = json.Unmarshal(text, &tools)
	}
	for _, t := range tools {
		if err == nil {
			err = t.load(schema)
		}
	}
	return tools, err
}

func (t *tool) load(schema *ast.Schema) error {
	text, err := files.ReadFile("tools/" + t.Name + ".graphql")
	if err != nil {
		return err
	}
	document, errs := gqlparser.LoadQueryWithRules(schema, string(text), nil)
	if len(errs) > 0 {
		return fmt.Errorf("mcp: %s: %w", t.Name, errs)
	}
	operation := document.Operations.ForName(t.Name)
	t.document, t.selection = string(text), newSelection(schema, operation.SelectionSet)

	t.InputSchema = &t.Input
	if status := t.Input.Properties["status"]; status != nil {
		t.statuses = map[string][]string{}
		for kind, enum := range statuses {
			for _, value := range schema.Types[enum].EnumValues {
				if value.Name != "UNKNOWN" { // of responses only
					t.statuses[kind] = append(t.statuses[kind], value.Name)
				}
			}
		}
		for _, kind := range slices.Sorted(maps.Keys(t.statuses)) {
			status.Description += "; of " + kind + ": " + strings.Join(t.statuses[kind], " ")
			for _, value := range t.statuses[kind] {
				if !slices.Contains(status.Enum, any(value)) {
					status.Enum = append(status.Enum, value)
				}
			}
		}
	}
	t.members = map[string]*jsonschema.Resolved{}
	for name, member := range t.Input.Properties {
		if t.members[name], err = member.Resolve(nil); err != nil {
			return err
		}
	}
	no := false
	t.Annotations = &mcp.ToolAnnotations{Title: t.Title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no}
	t.Description += " " + reading
	return nil
}

// read checks the arguments of a call, and returns the variables of the document. Its errors name a member of the tool,
// and do not repeat what was given.
func (t *tool) read(given map[string]any, personal bool) (map[string]any, *apierror.Error) {
	given = t.present(given)
	for _, name := range slices.Sorted(maps.Keys(t.Input.Properties)) {
		value, ok := given[name]
		switch {
		case !ok && slices.Contains(t.Input.Required, name):
			return nil, apierror.Input(name, "is missing: "+t.Input.Properties[name].Description)
		case ok && t.members[name].Validate(value) != nil:
			return nil, apierror.Input(name, "is not "+t.Input.Properties[name].Description)
		}
	}
	names := strings.Join(slices.Sorted(maps.Keys(t.Input.Properties)), " and ")
	for name := range given {
		if t.members[name] == nil {
			return nil, apierror.Input("", "the tool accepts only "+names)
		}
	}
	if len(given) == 0 { // no member is required
		return nil, apierror.Input("", names+" are missing: one of them is needed")
	}
	kind, _ := given["kind"].(string)
	if status, ok := given["status"].(string); ok && !slices.Contains(t.statuses[kind], status) {
		return nil, apierror.Input("status", "is not one of "+kind+": "+strings.Join(t.statuses[kind], " "))
	}
	v := variables[t.Name](given)
	v["personal"] = personal // without an effect on a document that does not declare it
	return v, nil
}

// present returns the arguments that have a value. Models with strict schemas send null, "" or [] for those that they
// leave out. Ids have no space around them, and values of enumerations have their case.
func (t *tool) present(given map[string]any) map[string]any {
	present := map[string]any{}
	for name, value := range given {
		member := t.Input.Properties[name]
		switch v := value.(type) {
		case json.Number: // the schema takes it for a string
			value, _ = v.Float64()
		case string:
			trimmed := strings.TrimSpace(v)
			switch {
			case trimmed == "":
				value = nil
			case member != nil && len(member.Enum) > 0:
				value = trimmed
				if at := slices.IndexFunc(member.Enum, func(e any) bool { return strings.EqualFold(e.(string), trimmed) }); at >= 0 {
					value = member.Enum[at]
				}
			case member != nil && member.Pattern != "":
				value = trimmed
			}
		case []any:
			for i, element := range v {
				switch element := element.(type) {
				case string:
					v[i] = strings.TrimSpace(element)
				case json.Number:
					v[i], _ = element.Float64()
				}
			}
			if v = slices.DeleteFunc(v, func(element any) bool { return element == nil || element == "" }); len(v) == 0 {
				value = nil
			} else {
				value = v
			}
		}
		if value != nil {
			present[name] = value
		}
	}
	return present
}
