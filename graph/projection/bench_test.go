package projection

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"pixgraph/graph/calls"
	"pixgraph/graph/documents"
	"pixgraph/graph/generated"
	"pixgraph/graph/paging"
	"pixgraph/internal/buffer"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// The selections that are measured, of a page of 100 deposits of 4 KB each.
const (
	narrow = `id amount status createdAt endToEnd feeAmount`
	wide   = narrow + ` acquirer paymentMethod paymentMethodRaw statusRaw updatedAt amountPaid depositOrigin errorMessage
		statusHistory { status date durationInMilliseconds } pixResponse { uri expirationDate qrCodeBase64 }
		payer { type name document bankAccount { type digit ispb } pix { key type } }`
)

func deposits() []byte {
	record := fmt.Sprintf(`{"id":"0b8f1f0e-5a3c-4d57-9a63-0f7f7a1c2d01","acquirer":"GENIAL","amount":150000,"paymentMethod":"PIX",`+
		`"createdAt":"2026-01-31T12:00:00.000Z","status":"PAID","statusHistory":[`+
		`{"status":"PENDING","date":"2026-01-31T12:00:00.000Z","durationInMilliseconds":812},`+
		`{"status":"PAID","date":"2026-01-31T12:00:00.812Z","durationInMilliseconds":0}],`+
		`"updatedAt":"2026-01-31T12:00:00.812Z","amountPaid":150000,"endToEnd":"E1823612020260131120000000000001",`+
		`"payer":{"type":"PF","name":"Maria da Conceição","document":"***.456.789-**",`+
		`"bankAccount":{"type":"CACC","digit":"7","ispb":"18236120"},"pix":{"key":"maria@correio.example","type":"EMAIL"}},`+
		`"feeAmount":12.50,"depositOrigin":"QRCODE","pixResponse":{"uri":"00020126580014br.gov.bcb.pix0136123e4567",`+
		`"expirationDate":"2026-01-31T13:00:00.000Z","qrCodeBase64":"data:image/png;base64,%s"}}`, strings.Repeat("iVBORw0K", 375))
	list := strings.TrimSuffix(strings.Repeat(record+",", 100), ",")
	return []byte(`{"total":100,"totalPages":1,"currentPage":1,"perPage":100,"data":[` + list + `]}`)
}

// operationOf makes what gqlgen has of a document when a root field is resolved.
func operationOf(b *testing.B, schema *ast.Schema, selection string) (*graphql.OperationContext, graphql.CollectedField) {
	b.Helper()
	text := "{ deposits { nodes { " + selection + " } } }"
	document, errs := gqlparser.LoadQueryWithRules(schema, text, rules.NewDefaultRules())
	if errs != nil {
		b.Fatal(errs)
	}
	operation := &graphql.OperationContext{RawQuery: text, Doc: document, Operation: document.Operations[0]}
	return operation, graphql.CollectFields(operation, document.Operations[0].SelectionSet, []string{"Query"})[0]
}

// connectionOf fetches the page, as the resolver of deposits does.
func connectionOf(b *testing.B) *paging.DepositConnection {
	b.Helper()
	body := deposits()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }))
	b.Cleanup(server.Close)
	apis, err := client.New(client.Config{
		CoreURL: server.URL, DispatcherURL: server.URL,
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(apis.Close)
	list, err := paging.Fetch(context.Background(), "deposits", (*upstream.DepositFilter)(nil), paging.Arguments{},
		func(ctx context.Context, page client.PageRequest) (*upstream.Page[upstream.Deposit], error) {
			return apis.Open(client.Operation{Bearer: "a.b.c"}).Deposits(ctx, nil, page)
		})
	if err != nil {
		b.Fatal(err)
	}
	return list
}

// declarations are the gateway's schema and the fields of it that make calls.
func declarations(b *testing.B) (*ast.Schema, calls.Fields) {
	b.Helper()
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	declared, err := calls.Read(schema)
	if err != nil {
		b.Fatal(err)
	}
	return schema, declared
}

// BenchmarkPlan compiles a selection, as is done once for a cached document.
func BenchmarkPlan(b *testing.B) {
	schema, declared := declarations(b)
	for name, selection := range map[string]string{"6 fields": narrow, "all": wide} {
		b.Run(name, func(b *testing.B) {
			p := New(Config{Schema: schema, Calls: declared, Documents: documents.New(0)})
			operation, root := operationOf(b, schema, selection)
			b.ReportAllocs()
			for b.Loop() {
				if made, _ := p.compile(operation, root); !made.taken {
					b.Fatal("not compiled")
				}
			}
		})
	}
}

// BenchmarkRender writes a page that was cut already.
func BenchmarkRender(b *testing.B) {
	schema, declared := declarations(b)
	page := list[upstream.Deposit]{connectionOf(b)}
	for name, selection := range map[string]string{"6 fields": narrow, "all": wide} {
		b.Run(name, func(b *testing.B) {
			p := New(Config{Schema: schema, Calls: declared, Documents: documents.New(0)})
			operation, root := operationOf(b, schema, selection)
			made, _ := p.compile(operation, root)
			size := 0
			b.ReportAllocs()
			for b.Loop() {
				w := newWriter(context.Background(), nil, "deposits", size, 0)
				if !page.write(w, made) || len(w.errs) > 0 {
					b.Fatal(w.errs)
				}
				size = len(w.buf)
				buffer.Put(w.buf)
				w.release()
			}
			b.SetBytes(int64(size))
		})
	}
}
