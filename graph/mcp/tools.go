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

	arguments *jsonschema.Resolved
	invalid   *apierror.Error // for other arguments; it does not repeat them
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
		for _, enum := range []string{"DepositStatus", "WithdrawalStatus"} {
			status.Description += "; " + enum + ":"
			for _, value := range schema.Types[enum].EnumValues {
				if value.Name != "UNKNOWN" { // of responses only
					status.Description += " " + value.Name
				}
			}
		}
	}
	var members []string
	for _, name := range slices.Sorted(maps.Keys(t.Input.Properties)) {
		members = append(members, name+" ("+t.Input.Properties[name].Description+")")
	}
	t.invalid = apierror.Input("", "the tool accepts only "+strings.Join(members, " and "))
	t.arguments, err = t.Input.Resolve(nil)
	no := false
	t.Annotations = &mcp.ToolAnnotations{Title: t.Title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no}
	t.Description += " " + reading
	return err
}

// read checks the arguments of a call, and returns the variables of the document.
func (t *tool) read(arguments json.RawMessage, personal bool) (map[string]any, *apierror.Error) {
	given := map[string]any{}
	if len(arguments) > 0 && json.Unmarshal(arguments, &given) != nil || t.arguments.Validate(given) != nil {
		return nil, t.invalid
	}
	v := variables[t.Name](given)
	v["personal"] = personal // without an effect on a document that does not declare it
	return v, nil
}
