package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// The operations that are sent.
const (
	party   = `{ type name document bankAccount { ispb } pix { key type } }`
	lists   = `query Lists { deposits(perPage: 100) { totalCount nodes { id amount status payer ` + party + ` } } withdrawals(perPage: 20) { nodes { id amount receiver ` + party + ` } } }`
	wide    = `query Wide { deposits(perPage: 100) { nodes { id amount status statusRaw createdAt statusHistory { status date durationInMilliseconds } payer ` + party + ` receiver ` + party + ` pixResponse { uri qrCodeBase64 } } pageInfo { hasNextPage endCursor } } }`
	payment = `query Payment($id: ID!) { transaction(id: $id) { id amount status customer { name document { value } } items { title unitPrice } metadata notifications { nodes { id status executions { url response { statusCode body } } } links { state source } complete } } }`
	several = `query Several($ids: [ID!]!) { notifications(ids: $ids) { id status transaction { id amount } withdrawal { id } } }`
	schema  = `query Schema { __schema { types { name fields { name type { name kind ofType { name kind } } } } } }`
	broken  = `query Broken { deposits(perPage: 1000, nothing: 1) { nodes { id } } `
)

// differing documents there are, and clients' names: many times what the gateway remembers of them.
const differing = 20_000

// body is a request of some sort, with the shares of the sorts in the order of the cases.
func (s *soak) body(random *rand.Rand) any {
	type variables = map[string]any
	switch random.IntN(12) {
	case 0, 1:
		return variables{"query": lists}
	case 2:
		return variables{"query": wide}
	case 3, 4, 5:
		return variables{"query": payment, "variables": variables{"id": s.transactions[random.IntN(len(s.transactions))]}}
	case 6, 7:
		first := random.IntN(len(s.notifications) - 20)
		return variables{"query": several, "variables": variables{"ids": s.notifications[first : first+20]}}
	case 8, 9:
		return registered(random.IntN(differing))
	case 10:
		return variables{"query": schema}
	default:
		return variables{"query": broken}
	}
}

// padding makes a document so long that those of a plan by default fill each cache of documents, which are bounded in bytes.
var padding = " #" + strings.Repeat(" ", 8<<10)

// registered is a document that is registered by its hash (APQ), one of many.
func registered(n int) any {
	document := fmt.Sprintf("query Differing%d { withdrawals(perPage: 1) { totalCount } }", n) + padding
	sum := sha256.Sum256([]byte(document))
	return map[string]any{"query": document, "extensions": map[string]any{
		"persistedQuery": map[string]any{"version": 1, "sha256Hash": hex.EncodeToString(sum[:])},
	}}
}

// request sends one request of any sort, which its client may not wait for. Its error is an answer that no fault of the APIs
// excuses: none, one that is no JSON, or one of a status that is not among those of a gateway at work.
func (s *soak) request(ctx context.Context, random *rand.Rand) error {
	deserts := random.IntN(20) == 0
	if deserts {
		var gone context.CancelFunc
		ctx, gone = context.WithTimeout(ctx, time.Duration(random.IntN(20_000))*time.Microsecond)
		defer gone()
	}
	err := s.post(ctx, s.body(random), s.tokens[random.IntN(len(s.tokens))], fmt.Sprintf("app-%d", random.IntN(differing)))
	if deserts && errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// post sends a body under a token, as a client of a name.
func (s *soak) post(ctx context.Context, body any, token, name string) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.gateway.Address+"/graphql", bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Apollographql-Client-Name", name)
	s.requests.Add(1)
	resp, err := s.client.Do(req)
	if err != nil {
		return err
	}
	return s.count(resp)
}

// count reads an answer and counts it.
func (s *soak) count(resp *http.Response) error {
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	switch resp.StatusCode {
	case http.StatusOK, http.StatusUnauthorized, http.StatusServiceUnavailable:
	default:
		return fmt.Errorf("a request was answered %s", resp.Status)
	}
	if !json.Valid(text) {
		return fmt.Errorf("an answer of %d bytes, status %d, is no JSON", len(text), resp.StatusCode)
	}
	if strings.HasPrefix(string(text), `{"errors":`) {
		s.withErrors.Add(1)
	}
	return nil
}
