package sandbox_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"pixgraph/sandbox"
)

// TestPaths: ids in paths, and paths that no operation has.
func TestPaths(t *testing.T) {
	run(t, sandbox.Config{Records: 20}, func(t *testing.T, s *sandbox.Sandbox) {
		id, notification := s.Ledger().Transactions()[0].ID, s.Ledger().Notifications()[0].ID
		v7, err := uuid.NewV7()
		if err != nil {
			t.Fatal(err)
		}
		statuses{
			strings.ToUpper(id): 200, strings.ReplaceAll(id, "-", "%2D"): 200, id + "?colour=red": 200, v7.String(): 404, uuid.Nil.String(): 404,
			// What is escaped is part of the id.
			id + "%2Fx": 422, "..%2F" + id: 422, id + "%3Fx": 422, id + "%23x": 422, id + "%20": 422, "%7B" + id + "%7D": 422,
			id + "/x": 404, id + "/": 404, "": 404,
		}.check(t, s, s.CoreURL()+"/transaction/")
		statuses{
			strings.Repeat("f", 24): 404, uuid.NewString(): 404, "%21": 404, notification + "%2Fx": 404, notification + "?colour=red": 200,
		}.check(t, s, s.DispatcherURL()+"/request/")
		statuses{
			"/": 404, "/deposit": 404, "/transaction/" + id: 404, "/core": 404, "/core/v1": 404, "/core/v1/": 404, "/core/v1/deposits": 404,
			"/core/v1/deposit/": 404, "/core/v1/deposit/" + id: 404, "/core/v1//deposit": 404, "/core/v1/withdrawal/" + id: 404,
			"/core/v1/transaction": 404, "/core/v1/request/" + id: 404, "/dispatcher/v1/request/" + id: 404,
		}.check(t, s, strings.TrimSuffix(s.CoreURL(), "/core/v1"))
		statuses{"/deposit": 404}.check(t, s, s.DispatcherURL())
	})
}

// TestMethods: every method but GET is a 405, whatever the path.
func TestMethods(t *testing.T) {
	run(t, sandbox.Config{Records: 20}, func(t *testing.T, s *sandbox.Sandbox) {
		addresses := []string{
			s.CoreURL() + "/deposit", s.CoreURL() + "/withdrawal", s.CoreURL() + "/transaction/x", s.DispatcherURL() + "/request/x",
		}
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodHead, http.MethodOptions} {
			for _, address := range addresses {
				req, err := http.NewRequestWithContext(t.Context(), method, address, nil)
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Authorization", "Bearer "+s.Token())
				got, err := roundTrip(newClient(), req)
				if err != nil || got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != http.MethodGet {
					t.Errorf("%s %s: status %d, Allow %q, error %v", method, address, got.status, got.header.Get("Allow"), err)
				}
			}
		}
	})
}
