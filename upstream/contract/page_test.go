package contract_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// TestPages: the client accepts and rejects the same envelopes of lists as the document. The client reads
// the counts of an envelope together with the page. A count that is missing is an error when it is read.
func TestPages(t *testing.T) {
	doc := open(t)
	var body []byte
	server := network.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}))
	session := newSession(t, server, server, "")
	for _, e := range doc.endpoints(t) {
		if e.lookup() {
			continue
		}
		name, method := componentOf(e.answer()), lister(t, e.record())
		schema := doc.Components.Schemas[name].Value
		whole := sample(t, schema)
		for property, ref := range schema.Properties {
			for variant, value := range variants(t, ref.Value) {
				t.Run(name+"/"+property+"/"+variant, func(t *testing.T) {
					var err error
					if body, err = json.Marshal(replaced(whole, nil, property, value)); err != nil {
						t.Fatal(err)
					}
					byDocument := doc.validateJSON(t, component(name), body)
					result, byClient := invoke(t, session, method.Name, newFilter(t, e.record()), client.PageRequest{})
					counts := map[string]int64{}
					if byClient == nil {
						counts, byClient = read(t, result)
					}
					if (byDocument == nil) != (byClient == nil) {
						t.Errorf("the client returns %v, the document %v", byClient, byDocument)
					}
					if byClient != nil && property != "data" && !strings.Contains(byClient.Error(), property) {
						t.Errorf("the error does not name the property: %v", byClient)
					}
					if n, ok := value.(int); ok && byClient == nil && counts[property] != int64(n) {
						t.Errorf("the client reads %d, want %d", counts[property], n)
					}
				})
			}
		}
	}
}

// read returns the counts of a page, or the error of a count or of one of its records.
func read(t *testing.T, result any) (map[string]int64, error) {
	t.Helper()
	page := reflect.ValueOf(result).Elem()
	records := page.FieldByName("Records")
	for i := range records.Len() {
		if err, _ := records.Index(i).MethodByName("Raw").Call(nil)[1].Interface().(error); err != nil {
			return nil, err
		}
	}
	counts := map[string]int64{"data": int64(records.Len())}
	for _, name := range []string{"total", "totalPages", "currentPage", "perPage"} {
		counts[name] = page.FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, name) }).Int()
		if counts[name] == upstream.Uncounted {
			return nil, fmt.Errorf("%s is missing", name)
		}
	}
	return counts, nil
}
