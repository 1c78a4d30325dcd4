package apierror_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/apierror"
)

// TestRender: the extensions have a member for each field of an Error that is set, and no others.
func TestRender(t *testing.T) {
	tests := []struct {
		name string
		err  *apierror.Error
		want string
	}{
		{"code", &apierror.Error{Code: apierror.NotFound, Message: "m", Err: errors.New("secret")}, `{"code":"NOT_FOUND","retryable":false}`},
		{"input", apierror.Input("filter.id", "must be a UUID"), `{"code":"BAD_USER_INPUT","input":"filter.id","retryable":false}`},
		{"limit", apierror.Exceeds("depth", 15, "m"), `{"code":"LIMIT_EXCEEDED","limit":"depth","retryable":false,"value":15}`},
		{"busy", apierror.Busy("m"), `{"code":"OVERLOADED","retryAfterMs":1000,"retryable":true}`},
		{"a short time", &apierror.Error{Code: apierror.RateLimited, Retryable: true, RetryAfter: 1}, `{"code":"RATE_LIMITED","retryAfterMs":1,"retryable":true}`},
		{"upstream", &apierror.Error{
			Code: apierror.Forbidden, Service: "dispatcher", UpstreamStatus: 403, RequiredScope: "s", PerPage: 7, MissingSettings: []string{"a"},
		}, `{"code":"FORBIDDEN","missingSettings":["a"],"perPage":7,"requiredScope":"s","retryable":false,"service":"dispatcher","upstreamStatus":403}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := json.Marshal(tt.err.Render(nil, "").Extensions)
			if err != nil || string(got) != tt.want {
				t.Errorf("%s, %v, want %s", got, err, tt.want)
			}
		})
	}
	at := gqlerror.Errorf("other")
	at.Locations = []gqlerror.Location{{Line: 1, Column: 2}}
	shown := apierror.InternalError().Render(at, "id")
	if shown.Message != "internal error" || shown.Extensions["requestId"] != "id" || len(shown.Locations) != 1 || apierror.Of(shown) == nil {
		t.Errorf("%+v", shown)
	}
}

// TestWriteHeader: Retry-After is in whole seconds, rounded up, for the two statuses that have it.
func TestWriteHeader(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		0: "", time.Nanosecond: "1", time.Second: "1", time.Second + 1: "2", 90 * time.Second: "90",
	} {
		for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusOK} {
			header := http.Header{}
			(&apierror.Error{Status: status, RetryAfter: wait, Header: map[string]string{"Allow": "POST"}}).WriteHeader(header)
			expected := want
			if status == http.StatusOK {
				expected = ""
			}
			if got := header.Get("Retry-After"); got != expected || header.Get("Allow") != "POST" {
				t.Errorf("%s of %d: %q, want %q; %v", fmt.Sprint(wait), status, got, expected, header)
			}
		}
	}
}
