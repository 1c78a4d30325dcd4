package accept_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pixgraph/graph/apierror"
	"pixgraph/serve/accept"
	"pixgraph/serve/envelope"
)

// FuzzAccept: the chosen media type is in the header, and other types in the header do not change it.
func FuzzAccept(f *testing.F) {
	f.Fuzz(func(t *testing.T, header string) {
		negotiate := func(values ...string) (accept.Media, bool) { return accept.Read(new(accept.Few), values).Negotiate() }
		media, ok := negotiate(header)
		lower := strings.ToLower(header)
		switch {
		case ok && media == accept.GraphQL && !strings.Contains(lower, "application/"+"graphql-re") && !strings.Contains(lower, "*"):
			t.Errorf("%q got application/graphql-response+json", header)
		case ok && media == accept.JSON && strings.ContainsAny(lower, "abcdefghijklmnopqrstuvwxyz") &&
			!strings.Contains(lower, "json") && !strings.Contains(lower, "*"):
			t.Errorf("%q got application/json", header)
		case !ok && media != accept.JSON:
			t.Errorf("the error for %q is in %v", header, media)
		}
		if strings.Trim(header, " \t,") == "" {
			return
		}
		if other, stillOK := negotiate("text/x;q=0.7", header, "multipart/mixed"); other != media || stillOK != ok {
			t.Errorf("%q gets %v %v alone, %v %v with others", header, media, ok, other, stillOK)
		}
		recorder := httptest.NewRecorder()
		rejected := apierror.InternalError()
		envelope.WriteError(recorder, &http.Request{Header: http.Header{"Accept": {header}}}, rejected, rejected.Wrap())
		if got := recorder.Header().Get("Content-Type"); got != media.ContentType()[0] {
			t.Errorf("the response to %q is in %s", header, got)
		}
	})
}
