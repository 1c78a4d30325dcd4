package operations_test

import (
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"pixgraph/graph/generated"
	"pixgraph/internal/leaktest"
	"pixgraph/sandbox"
	"pixgraph/test/gatewaytest"
	"pixgraph/web/operations"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// start starts a gateway over the sandbox of `make run`. A subscription reads once.
func start(t *testing.T) *gatewaytest.Gateway {
	t.Helper()
	return gatewaytest.Start(t, func(o *gatewaytest.Options) {
		o.Sandbox = sandbox.Config{MoveEvery: -1}
		o.Serve.Live.Interval = time.Hour
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// shown is the expected result of an operation in the sandbox.
type shown struct {
	has    []string          // patterns that the response matches in this order
	errors map[string]string // codes by path, with full access
	denied map[string]string // codes by path, without the scope
	calls  int               // upstream, with full access
}

// expected has the result of each operation by its name.
var expected = map[string]shown{
	"Dashboard": {
		has: []string{
			`"deposits":{"totalCount":2000,"nodes":\[(\{"id":"[0-9a-f-]{36}"[^\]]*){5}\]`,
			`"withdrawals":{"totalCount":2000,"nodes":\[(\{"id":"[0-9a-f-]{36}"[^\]]*){5}\]`,
			`"paidDeposits":{"totalCount":[1-9]\d*}`, `"heldWithdrawals":{"totalCount":[1-9]\d*}`,
		},
		calls: 4,
	},
	"WaitingForPayment": {
		has: []string{
			`"status":"(PENDING|PIX_QRCODE_GENERATED)"`, `"amountPaid":null`, `"uri":"000201`,
			`"qrCodeBase64":"data:image/png;base64,`,
			`"brCode":\{"kind":"(STATIC|DYNAMIC)","amount":\d+,"merchantName":"[^"]+".*"wellFormed":true,"problems":\[\]`,
			`"statusHistory":\[\{`, `"live":{"reason":"SNAPSHOT"`,
		},
		calls: 1,
	},
	"FailedWebhook": {
		has: []string{
			`"status":"FAILED","error":"[^"]+"`, `"delivery":\{"verdict":"(REJECTED|DESTINATION_FAILED)","explanation":"The `,
			`"statusCode":[45]\d\d`, `"statusHistory":\[\{"status":"RECEIVED"`,
			`"transaction":\{"id":"[0-9a-f-]{36}"`, `"timeline":\[\{"at":"[^"]+","source":"CREATED_AT"`, `"withdrawal":null`,
		},
		denied: map[string]string{"notification": "FORBIDDEN"},
		calls:  3,
	},
	"Reconciliation": {
		has: []string{
			`"depositSummary":\{"count":1\d{3},"amount":"\d+","amountPaid":"\d+",[^\[]*"complete":true,"reason":null`,
			`"groups":\[\{"day":"\d{4}-\d\d-\d\d","count":\d+,"amountPaid":"\d+"\}`,
			`"endToEnd":"E\d{8}[^"]*","endToEndId":\{"ispb":"\d{8}","minute":"[^"]+"\}`,
			`"amountPaid":\d+`, `"hasNextPage":true,"endCursor":"[^"]+"`,
		},
		calls: 12, // a page, and the eleven pages of the sums
	},
	"PartialFailure": {
		has: []string{
			`"transactions":\[\{"id":"[0-9a-f-]{36}"`, `"source":"ARGUMENT","state":"VERIFIED"`, `\}\},null\]`,
			`"status":"SENT"`, `"withdrawals":\{"totalCount":2000`,
		},
		errors: map[string]string{"transactions/1": "NOT_FOUND"},
		denied: map[string]string{
			"transactions/0/notifications": "FORBIDDEN", "transactions/1": "NOT_FOUND", "notification": "FORBIDDEN",
		},
	},
}

// complete is the gateway of `make run`.
var complete = operations.Gateway{PageNumber: true, PageSize: true}

// filled returns an operation with the ids that the page would find.
func filled(g *gatewaytest.Gateway, operation operations.Operation) operations.Operation {
	samples := g.Box.Samples()
	ids := map[operations.Record]string{
		operations.Transaction: samples.Transaction, operations.OpenTransaction: samples.OpenTransaction,
		operations.Notification: samples.FailedNotification,
	}
	if len(operation.IDs) > 1 {
		ids[operations.Notification] = samples.Notification // of the transaction
	}
	operation.Variables = maps.Clone(operation.Variables)
	if operation.Variables == nil {
		operation.Variables = map[string]any{}
	}
	for name, record := range operation.IDs {
		operation.Variables[name] = ids[record]
	}
	return operation
}

// TestOperations runs each operation with ids from the sandbox: with full access, and without the scope of the
// dispatcher.
func TestOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t)
		for _, operation := range operations.All(complete) {
			operation = filled(g, operation)
			gatewaytest.Row(t, operation.Name, func(t testing.TB) {
				want, ok := expected[operation.Name]
				if !ok {
					t.Fatal("no expected result")
				}
				g.Box.ResetCalls()
				body, codes := run(g.Within(t), g.Token, operation)
				for _, pattern := range want.has {
					if !regexp.MustCompile(pattern).MatchString(body) {
						t.Errorf("no %s in %.1500s", pattern, body)
					}
				}
				if !maps.Equal(codes, want.errors) {
					t.Errorf("the errors are %v, want %v", codes, want.errors)
				}
				if calls := len(g.Box.Calls()); want.calls > 0 && calls != want.calls {
					t.Errorf("%d upstream calls, want %d", calls, want.calls)
				}
				if _, codes = run(g.Within(t), g.Box.Token(""), operation); !maps.Equal(codes, want.denied) {
					t.Errorf("without the scope the errors are %v, want %v", codes, want.denied)
				}
			})
		}
	})
}

// TestOperationsOfABareGateway: without paging parameters and a pointer to notification ids, every operation that is
// offered works.
func TestOperationsOfABareGateway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gatewaytest.Start(t, func(o *gatewaytest.Options) {
			o.Sandbox = sandbox.Config{MoveEvery: -1}
			o.Upstream.PageParam, o.Upstream.PerPageParam, o.Serve.MetadataPointer = "", "", nil
		})
		offered := operations.All(operations.Gateway{})
		if len(offered) != len(operations.All(complete))-1 {
			t.Errorf("%d operations are offered", len(offered))
		}
		for _, operation := range offered {
			gatewaytest.Row(t, operation.Name, func(t testing.TB) {
				if _, codes := run(g.Within(t), g.Token, filled(g, operation)); !maps.Equal(codes, expected[operation.Name].errors) {
					t.Errorf("the errors are %v", codes)
				}
			})
		}
	})
}

// run sends an operation and returns the response, or the first event, and the codes of its errors by path.
func run(g *gatewaytest.Gateway, token string, operation operations.Operation) (body string, codes map[string]string) {
	g.T.Helper()
	var r gatewaytest.Response
	if strings.HasPrefix(operation.Text, "subscription") {
		r = g.FirstEventAs(token, operation.Text, operation.Variables)
	} else {
		r = g.QueryAs(token, operation.Text, operation.Variables)
	}
	if r.Status != http.StatusOK || r.Data == nil {
		g.T.Fatalf("%d: %s", r.Status, r.Body)
	}
	for _, e := range r.Errors {
		if codes == nil {
			codes = map[string]string{}
		}
		var path []string
		for _, step := range e.Path {
			path = append(path, fmt.Sprint(step))
		}
		codes[strings.Join(path, "/")] = fmt.Sprint(e.Extensions["code"])
	}
	return string(r.Body), codes
}

// TestPages: following the cursors of the reconciliation returns no deposit twice.
func TestPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t)
		all := operations.All(complete)
		reconciliation := all[slices.IndexFunc(all, func(o operations.Operation) bool { return o.Name == "Reconciliation" })]
		reconciliation.Variables["sums"] = false
		seen := map[string]bool{}
		for range 3 {
			body, _ := run(g, g.Token, reconciliation)
			for _, match := range regexp.MustCompile(`"node":\{"id":"([^"]+)"`).FindAllStringSubmatch(body, -1) {
				if seen[match[1]] {
					t.Errorf("%s occurs twice", match[1])
				}
				seen[match[1]] = true
			}
			reconciliation.Variables["after"] = regexp.MustCompile(`"endCursor":"([^"]+)"`).FindStringSubmatch(body)[1]
		}
		if len(seen) != 30 {
			t.Errorf("three pages of ten have %d deposits", len(seen))
		}
	})
}

// TestFiles: each file is valid, has the operation that the list names, is in the list, and begins with an explanation.
func TestFiles(t *testing.T) {
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	all := operations.All(complete)
	files, err := filepath.Glob("*.graphql")
	must(t, err)
	if len(files) != len(all) {
		t.Errorf("%d files, and %d operations", len(files), len(all))
	}
	for _, operation := range all {
		t.Run(operation.Name, func(t *testing.T) {
			document, problems := gqlparser.LoadQueryWithRules(schema, operation.Text, rules.NewDefaultRules())
			if problems != nil {
				t.Fatal(problems)
			}
			if len(document.Operations) != 1 || document.Operations[0].Name != operation.Name {
				t.Fatalf("its operations are %v", document.Operations)
			}
			wantVariables(t, document.Operations[0].VariableDefinitions, operation)
			if n := len(operation.Title); n < 4 || n > 30 {
				t.Errorf("its title is %q", operation.Title)
			}
			if n := len(operation.Description); n < 20 || n > 90 || strings.HasSuffix(operation.Description, ".") {
				t.Errorf("its description is %q", operation.Description)
			}
			if len(operation.Explanation) == 0 || strings.HasPrefix(operation.Text, "#") || strings.Contains(operation.Explanation[0], "#") {
				t.Errorf("its explanation is %q, its text %q", operation.Explanation, operation.Text)
			}
		})
	}
}

// wantVariables fails the test unless exactly the declared variables have a value or are the id of a record.
func wantVariables(t *testing.T, declared ast.VariableDefinitionList, operation operations.Operation) {
	t.Helper()
	for _, variable := range declared {
		_, fixed := operation.Variables[variable.Variable]
		if _, id := operation.IDs[variable.Variable]; fixed == id {
			t.Errorf("$%s has a value: %t, and is an id: %t", variable.Variable, fixed, id)
		}
	}
	if filled := len(operation.Variables) + len(operation.IDs); filled != len(declared) {
		t.Errorf("%d variables are declared, %d have a value", len(declared), filled)
	}
}
