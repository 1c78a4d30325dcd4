package upstream_test

import (
	"errors"
	"net/http"
	"testing"

	"pixgraph/upstream"
)

func TestErrors(t *testing.T) {
	cause := errors.New("cause")
	err := error(&upstream.Error{
		Op: "list deposits", Service: upstream.Core, Kind: upstream.KindServerError, Status: http.StatusBadGateway, Err: cause,
	})
	if got, want := err.Error(), "core: list deposits: server error (status 502): cause"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !errors.Is(err, cause) || upstream.KindOf(errors.Join(errors.New("a"), err)) != upstream.KindServerError {
		t.Error("the error is not found in its chain")
	}
	if upstream.KindOf(cause) != upstream.KindInternal || upstream.KindOf(nil) != upstream.KindInternal {
		t.Error("an error of another package has a kind")
	}
}
