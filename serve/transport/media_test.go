package transport_test

import (
	"net/http"
	"strings"
	"testing"

	"pixgraph/graph/apierror"
	"pixgraph/serve/run"
)

// TestAccept: the media type of a response; empty for 406.
func TestAccept(t *testing.T) {
	e := start(t, run.Config{})
	tests := []struct {
		name, accept, media string
	}{
		{"absent", "", jsonType},
		{"any type", "*/*", jsonType},
		{"any application", "application/*", jsonType},
		{"the legacy type", jsonType, jsonType},
		{"the current type", graphqlType, graphqlType},
		{"in upper case", "APPLICATION/GraphQL-Response+JSON", graphqlType},
		{"as the specification recommends", "application/graphql-response+json; charset=utf-8, application/json; charset=utf-8", graphqlType},
		{"both in the other order", "application/json, application/graphql-response+json", graphqlType},
		{"Apollo Client", "application/graphql-response+json,application/json;q=0.9", graphqlType},
		{"urql", "application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed", graphqlType},
		{"axios", "application/json, text/plain, */*", jsonType},
		{"a browser", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", jsonType},
		{"weights", "application/graphql-response+json;q=0.5, application/json;q=0.501", jsonType},
		{"weights in the other order", "application/graphql-response+json;q=0.9, application/json;q=0.5", graphqlType},
		{"a weight in upper case", "application/json;Q=0.1, application/graphql-response+json; Q = 0.2", graphqlType},
		{"a type and any type", "application/graphql-response+json, */*", graphqlType},
		{"any type before a type of lower weight", "*/*, application/json;q=0.5", graphqlType},
		{"one excluded", "application/json;q=0, */*", graphqlType},
		{"the other excluded", "application/graphql-response+json;q=0, */*", jsonType},
		{"excluded by the more specific", "application/json;charset=utf-8;q=0, application/json;q=1", ""},
		{"both excluded", "application/json;q=0, application/graphql-response+json;q=0.000", ""},
		{"all excluded", "*/*;q=0", ""},
		{"another type", "text/html", ""},
		{"only parts", "multipart/mixed;deferSpec=20220824", `multipart/mixed;boundary="graphql";deferSpec=20220824`},
		{"only parts of another version", "multipart/mixed;deferSpec=20210101", ""},
		{"only events", "text/event-stream", "text/event-stream"},
		{"multipart and JSON", "multipart/mixed;deferSpec=20220824,application/json", jsonType},
		{"another charset", "application/json; charset=iso-8859-1", ""},
		{"charset by its other name", `application/json; charset=UTF8`, jsonType},
		{"charset in quotes", `application/json; charset="UTF-8"`, jsonType},
		{"another charset of one type", "application/graphql-response+json; charset=utf-16, application/json", jsonType},
		{"another parameter", "application/json; version=1", ""},
		{"parameters after a weight", "application/json;q=1;version=1", jsonType},
		{"an empty parameter", "application/json;;q=1", jsonType},
		{"a comma in quotes", `text/x; a="b, application/json", application/graphql-response+json`, graphqlType},
		{"an unclosed quote", `text/x; a="b, application/json`, ""},
		{"an escaped quote", `text/x; a="\", application/json", application/graphql-response+json;q=0.1`, graphqlType},
		{"an invalid weight", "application/json;q=high", ""},
		{"a weight above one", "application/json;q=1.001", ""},
		{"a weight of four digits", "application/json;q=0.1234", ""},
		{"a negative weight", "application/json;q=-1", ""},
		{"a weight without decimals", "application/json;q=1.", jsonType},
		{"only commas", " , ,, ", jsonType},
		{"a type without subtype", "application", ""},
		{"an invalid wildcard", "*/json", ""},
		{"a prefix", "application/jsonp, application/json2", ""},
		{"control characters", "application/json\t;\tq=0.5", jsonType},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e.t = t
			r := e.query(`{ ok }`, "Accept: "+tt.accept)
			if tt.media == "" {
				r.wantError(http.StatusNotAcceptable, apierror.BadRequest)
				r.wantHeader("Content-Type", jsonType+"; charset=utf-8")
				return
			}
			body := `{"data":{"ok":"fine"}}`
			if tt.media == "text/event-stream" {
				body = ":\n\nevent: next\ndata: " + body + "\n\nevent: complete\ndata:\n\n"
			}
			if strings.HasPrefix(tt.media, "multipart") {
				r.wantBody(http.StatusOK, "--graphql\r\ncontent-type: application/json; charset=utf-8\r\n\r\n"+
					`{"data":{"ok":"fine"},"hasNext":false}`+"\r\n--graphql--\r\n")
				r.wantHeader("Content-Type", tt.media)
				return
			}
			r.wantBody(http.StatusOK, body)
			r.wantHeader("Content-Type", tt.media+"; charset=utf-8")
		})
	}
}

// TestAcceptLines: several headers are combined into one list.
func TestAcceptLines(t *testing.T) {
	e := start(t, run.Config{})
	req, err := http.NewRequest(http.MethodPost, e.url, strings.NewReader(`{"query":"{ ok }"}`))
	must(t, err)
	req.Header = http.Header{
		"Content-Type": {jsonType},
		"Accept":       {"text/html", "application/json;q=0.1", "application/graphql-response+json;q=0.2"},
	}
	resp, err := e.client.Do(req)
	must(t, err)
	defer resp.Body.Close()
	if got := resp.Header.Get("Content-Type"); !strings.HasPrefix(got, graphqlType) {
		t.Errorf("Content-Type %s", got)
	}
}
