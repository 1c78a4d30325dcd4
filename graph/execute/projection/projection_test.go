package projection_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"pixgraph/graph/execute/calls"
	"pixgraph/graph/execute/deferral"
	"pixgraph/graph/execute/documents"
	"pixgraph/graph/execute/paging"
	"pixgraph/graph/execute/projection"
	"pixgraph/graph/generated"
	"pixgraph/internal/quota"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
	"pixgraph/upstream/wire"
)

// Selections on a page of 100 deposits of 4 KB each.
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

// contextOf is the context of a query for deposits when it is executed.
func contextOf(t testing.TB, schema *ast.Schema, selection string) context.Context {
	t.Helper()
	return contextOfDocument(t, schema, "{ deposits { nodes { "+selection+" } } }")
}

// contextOfDocument is the context of a document's operation when it is executed.
func contextOfDocument(t testing.TB, schema *ast.Schema, text string) context.Context {
	t.Helper()
	document, errs := gqlparser.LoadQueryWithRules(schema, text, rules.NewDefaultRules())
	if errs != nil {
		t.Fatal(errs)
	}
	ctx := graphql.WithOperationContext(context.Background(), &graphql.OperationContext{RawQuery: text, Doc: document, Operation: document.Operations[0]})
	return graphql.WithResponseContext(ctx, graphql.DefaultErrorPresenter, graphql.DefaultRecover)
}

// executed are the arguments of Execute for the operation in a context, of which nothing is deferred.
func executed(ctx context.Context, account *quota.Account) (
	context.Context, *graphql.OperationContext, *quota.Account, *quota.Turn, *deferral.Plan, *deferral.Captures,
) {
	return ctx, graphql.GetOperationContext(ctx), account, nil, nil, nil
}

// connectionOf reads a page, as the resolver of deposits does.
func connectionOf(t testing.TB, body []byte) *paging.DepositConnection {
	t.Helper()
	list, err := paging.Fetch(context.Background(), "deposits", (*upstream.DepositFilter)(nil), paging.Arguments{},
		func(context.Context, client.PageRequest) (*upstream.Page[upstream.Deposit], error) {
			value, err := wire.Index(body)
			if err != nil {
				return nil, err
			}
			return upstream.ReadPage[upstream.Deposit](value)
		})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// newProjector creates a projector that resolves every list of deposits to the page, with a cache of documents.
func newProjector(t testing.TB, schema *ast.Schema, page *paging.DepositConnection, cache *documents.Cache) *projection.Projector {
	t.Helper()
	declared, err := calls.Read(schema)
	if err != nil {
		t.Fatal(err)
	}
	found := projection.Made(page)
	return projection.New(projection.Config{
		Schema: schema, Calls: declared, Made: generated.Made, Documents: cache,
		Resolve: func(context.Context, graphql.CollectedField) projection.Found { return found },
	})
}
