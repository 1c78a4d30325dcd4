package contract_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// TestPages: the client accepts and rejects the same envelopes of lists as the document. The counts of an envelope have no
// accessors: the client reads them together with the page.
func TestPages(t *testing.T) {
	doc := open(t)
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	apis, err := client.New(client.Config{CoreURL: server.URL, DispatcherURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(apis.Close)
	lists := map[string]func() (counts map[string]int64, err error){
		"DepositPage": func() (map[string]int64, error) {
			page, err := apis.Open(client.Operation{}).Deposits(t.Context(), nil, client.PageRequest{})
			return read(page, err)
		},
		"WithdrawalPage": func() (map[string]int64, error) {
			page, err := apis.Open(client.Operation{}).Withdrawals(t.Context(), nil, client.PageRequest{})
			return read(page, err)
		},
	}
	for name, list := range lists {
		schema := doc.Components.Schemas[name].Value
		whole := sample(t, schema)
		for property, ref := range schema.Properties {
			for variant, value := range variants(t, ref.Value) {
				t.Run(name+"/"+property+"/"+variant, func(t *testing.T) {
					if body, err = json.Marshal(replaced(whole, nil, property, value)); err != nil {
						t.Fatal(err)
					}
					byDocument := doc.validateJSON(t, component(name), body)
					counts, byClient := list()
					if (byDocument == nil) != (byClient == nil) {
						t.Errorf("the client returns %v, the document %v", byClient, byDocument)
					}
					if n, ok := value.(int); ok && byClient == nil && counts[property] != int64(n) {
						t.Errorf("the client reads %d, want %d", counts[property], n)
					}
				})
			}
		}
	}
}

// read returns the counts of a page, or the error of one of its records.
func read[T upstream.Deposit | upstream.Withdrawal](page *upstream.Page[T], err error) (map[string]int64, error) {
	if err != nil {
		return nil, err
	}
	for _, record := range page.Records {
		if _, err := record.Raw(); err != nil {
			return nil, err
		}
	}
	return map[string]int64{
		"total": page.Total, "totalPages": page.TotalPages, "currentPage": page.CurrentPage, "perPage": page.PerPage,
		"data": int64(len(page.Records)),
	}, nil
}
