package mcp_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestAbsentArguments: what models send for what they leave out, and how they write ids and statuses, is as if it was
// written as clients see it.
func TestAbsentArguments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t)
		a, k := g.assistant(), g.known()
		for _, tt := range []struct {
			tool        string
			given, same object
		}{
			{"newest_payments", object{"kind": "deposits", "status": ""}, object{"kind": "deposits"}},
			{"newest_payments", object{"kind": "deposits", "status": nil}, object{"kind": "deposits"}},
			{"newest_payments", object{"kind": " Withdrawals", "status": "failed\n"}, object{"kind": "withdrawals", "status": "FAILED"}},
			{"newest_payments", object{"kind": "deposits", "status": []any{}, "limit": nil}, object{"kind": "deposits"}},
			{"explain_webhooks", object{"transactionId": k.transaction, "notificationIds": []any{}}, object{"transactionId": k.transaction}},
			{"explain_webhooks", object{"transactionId": k.transaction, "notificationIds": []any{"", nil}}, object{"transactionId": k.transaction}},
			{"explain_webhooks", object{"transactionId": nil, "notificationIds": []any{" " + k.notification}}, object{"notificationIds": []any{k.notification}}},
			{"find_payment", object{"id": "\t" + k.transaction + " "}, object{"id": k.transaction}},
			{"payment_timeline", object{"id": " " + k.withdrawal}, object{"id": k.withdrawal}},
		} {
			given, same := a.call(tt.tool, tt.given), a.call(tt.tool, tt.same)
			if given.isError || given.text != same.text {
				t.Errorf("%s %v: %.500s", tt.tool, tt.given, given.text)
			}
		}
	})
}

// TestArguments: invalid arguments are errors that say what is valid, without a call and without the argument, whether
// the SDK reads the request or not.
func TestArguments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t)
		a := g.assistant()
		const secret = "S3CRET"
		for _, tt := range []struct {
			tool      string
			arguments object
			want      string
		}{
			{"find_payment", nil, "id is missing: an id of"},
			{"find_payment", object{"id": nil}, "id is missing: an id of"},
			{"find_payment", object{"id": secret + "\u202e"}, "id is not an id of"},
			{"find_payment", object{"id": strings.Repeat("a", 129)}, "id is not an id of"},
			{"find_payment", object{"id": 1}, "id is not an id of"},
			{"find_payment", object{"id": "a", secret: true}, "accepts only id"},
			{"explain_webhooks", object{"notificationIds": []any{1}}, "notificationIds is not 1 to 20 ids"},
			{"newest_payments", object{"kind": "deposits", "status": 1}, "status is not "},
			{"read_pix_code", object{"code": 1e3}, "of 1 to 1024 characters"},
			{"payment_timeline", object{"id": secret}, "id is not the id of a transaction or a withdrawal, a UUID"},
			{"explain_webhooks", object{}, "notificationIds and transactionId are missing"},
			{"explain_webhooks", object{"notificationIds": []string{}, "transactionId": ""}, "notificationIds and transactionId are missing"},
			{"explain_webhooks", object{"notificationIds": strings.Split(strings.Repeat("a,", 20)+"a", ",")}, "notificationIds is not 1 to 20 ids"},
			{"explain_webhooks", object{"notificationIds": []any{secret + " +"}}, "notificationIds is not 1 to 20 ids"},
			{"newest_payments", object{"kind": secret}, "kind is not deposits or withdrawals"},
			{"newest_payments", object{"kind": "deposits", "status": secret}, "status is not a status of that kind; without it, all are listed; of deposits: PENDING "},
			{"newest_payments", object{"kind": "deposits", "status": "PROCESSED"}, "status is not one of deposits: PENDING "},
			{"newest_payments", object{"kind": "deposits", "status": "UNKNOWN"}, "status is not "},
			{"read_pix_code", object{"code": " "}, "code is missing: the text"},
			{"read_pix_code", object{"code": strings.Repeat("0", 1025)}, "of 1 to 1024 characters"},
		} {
			r := a.call(tt.tool, tt.arguments)
			if !r.isError || len(r.Problems) != 1 || r.Problems[0].Code != "BAD_USER_INPUT" || !strings.Contains(r.Problems[0].Message, tt.want) ||
				strings.Contains(r.text, secret) {
				t.Errorf("%s %v: %s", tt.tool, tt.arguments, r.text)
			}
			var direct struct{ Result mcp.CallToolResult }
			body, err := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": object{"name": tt.tool, "arguments": tt.arguments}})
			must(t, err)
			must(t, json.Unmarshal(g.send(http.MethodPost, string(body), nil).Body, &direct))
			if text := direct.Result.Content[0].(*mcp.TextContent).Text; text != r.text {
				t.Errorf("%s %v: %s without the SDK", tt.tool, tt.arguments, text)
			}
		}
		g.WantNoCalls()
		if strings.Contains(g.Log.String(), secret) {
			t.Error("an argument is in the log")
		}
	})
}
