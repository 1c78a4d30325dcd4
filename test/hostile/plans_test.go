package hostile

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// repeat sends the bodies for the numbers from 0, over a few concurrent connections; each must succeed.
func (g *gateway) repeat(t *testing.T, n int, body func(int) string) {
	t.Helper()
	const clients = 8
	var sending sync.WaitGroup
	numbers := make(chan int)
	failed := make(chan string, clients)
	for range clients {
		sending.Go(func() {
			for i := range numbers {
				if problem := g.sent(body(i)); problem != "" {
					select {
					case failed <- problem:
					default:
					}
				}
			}
		})
	}
	for i := range n {
		numbers <- i
	}
	close(numbers)
	sending.Wait()
	select {
	case problem := <-failed:
		t.Error(problem)
	default:
	}
}

// sent posts a body and returns what is wrong with the response, or "".
func (g *gateway) sent(body string) string {
	req, err := http.NewRequest(http.MethodPost, "http://"+g.Address+"/graphql", strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	req.Header = http.Header{"Authorization": {"Bearer " + g.token}, "Content-Type": {"application/json"}}
	resp, err := g.client.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	var first [300]byte
	n, _ := resp.Body.Read(first[:])
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(string(first[:n]), `{"data":{`) {
		return fmt.Sprintf("status %d, %s", resp.StatusCode, first[:n])
	}
	return ""
}

// plans requests one document of 2.4 KB with 12 Booleans, of which each combination selects different fields: the
// cached plans must be bounded in bytes.
func plans(t *testing.T, g *gateway) {
	const requests, booleans = 1_000, 12
	var b strings.Builder
	b.WriteString("query(")
	for i := range booleans {
		fmt.Fprintf(&b, "$b%d:Boolean!", i)
	}
	// No deposit has that amount, so that the plan is the main cost of a request.
	b.WriteString(") { deposits(perPage: 1, filter: {minAmount: 10000000}) {")
	for i := range 48 {
		condition := ""
		if i < booleans {
			condition = fmt.Sprintf("@include(if: $b%d)", i)
		}
		fmt.Fprintf(&b, " a%d: nodes %s { ...F }", i, condition)
	}
	for i := range 44 {
		fmt.Fprintf(&b, " e%d: edges { node { ...F } }", i)
	}
	b.WriteString(" } } fragment F on Deposit { id acquirerCode acquirer amount paymentMethod paymentMethodRaw webhookUrl externalCode createdAt status" +
		" statusRaw statusHistory { status statusRaw date durationInMilliseconds } updatedAt amountPaid paymentDate refundDate refundAmount" +
		" pixResponse { uri qrCodeBase64 expirationDate } errorMessage errorMessageRefund endToEnd payer { name pix { key } } depositOrigin }")
	text := quote(b.String())
	g.repeat(t, requests, func(n int) string {
		var values strings.Builder
		for i := range booleans {
			fmt.Fprintf(&values, `,"b%d":%t`, i, n>>i&1 == 1)
		}
		return `{"query":` + text + `,"variables":{` + values.String()[1:] + `}}`
	})
}

// documentsWithoutEnd are valid, cheap and all different.
func documentsWithoutEnd(t *testing.T, g *gateway) {
	const requests = 4_000
	selection := aliases(45, "__typename") + " # " + strings.Repeat("x", 2_000)
	g.repeat(t, requests, func(n int) string { return asked(fmt.Sprintf("{ n%d: __typename %s", n, selection) + "\n}") })
}
