package sandbox_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/upstream/sandbox"
)

// TestSettings: every field of Config with another value than the default.
func TestSettings(t *testing.T) {
	run := func(cfg sandbox.Config) *sandbox.Sandbox {
		cfg.Records = 250
		return start(t, cfg)
	}
	t.Run("names of the paging parameters", func(t *testing.T) {
		s := run(sandbox.Config{PageParam: "p", PerPageParam: "size"})
		if p := list(t, s, "/deposit?p=2&size=30"); p.CurrentPage != 2 || p.PerPage != 30 || len(p.Data) != 30 {
			t.Errorf("page %d of %d", p.CurrentPage, p.PerPage)
		}
		if p := list(t, s, "/deposit?page=2&perPage=30"); p.CurrentPage != 1 || p.PerPage != 20 {
			t.Errorf("page %d of %d with unknown names", p.CurrentPage, p.PerPage)
		}
	})
	t.Run("paging ignored", func(t *testing.T) {
		s := run(sandbox.Config{IgnorePaging: true})
		first := list(t, s, "/deposit")
		p := list(t, s, "/deposit?page=2&perPage=0")
		if p.CurrentPage != 1 || p.PerPage != 20 || p.Data[0].ID != first.Data[0].ID {
			t.Errorf("page %d of %d, want the first page", p.CurrentPage, p.PerPage)
		}
	})
	t.Run("sizes ignored", func(t *testing.T) {
		s := run(sandbox.Config{IgnorePerPage: true})
		p := list(t, s, "/deposit?page=2&perPage=7")
		if p.CurrentPage != 2 || p.PerPage != 20 || len(p.Data) != 20 || p.TotalPages != 13 {
			t.Errorf("page %d of %d, %d records, totalPages %d", p.CurrentPage, p.PerPage, len(p.Data), p.TotalPages)
		}
	})
	t.Run("sizes of pages", func(t *testing.T) {
		s := run(sandbox.Config{DefaultPerPage: 5, MaxPerPage: 7})
		if p := list(t, s, "/deposit"); p.PerPage != 5 || len(p.Data) != 5 {
			t.Errorf("perPage %d", p.PerPage)
		}
		statuses{"?perPage=7": 200, "?perPage=8": 422}.check(t, s, s.CoreURL()+"/deposit")
	})
	t.Run("largest page below the default", func(t *testing.T) {
		s := run(sandbox.Config{MaxPerPage: 7})
		if p := list(t, s, "/deposit"); p.PerPage != 7 {
			t.Errorf("perPage %d, want 7", p.PerPage)
		}
	})
	t.Run("size of pages clamped", func(t *testing.T) {
		s := run(sandbox.Config{ClampPerPage: true})
		if p := list(t, s, "/deposit?perPage=1000"); p.PerPage != 100 || len(p.Data) != 100 || p.TotalPages != 3 {
			t.Errorf("perPage %d, totalPages %d", p.PerPage, p.TotalPages)
		}
	})
	t.Run("oldest first", func(t *testing.T) {
		s := run(sandbox.Config{OldestFirst: true})
		deposits := s.Ledger().Deposits()
		for number := 1; number <= 3; number++ {
			for i, record := range list(t, s, fmt.Sprintf("/deposit?perPage=100&page=%d", number)).Data {
				if want := deposits[len(deposits)-1-100*(number-1)-i]; record.ID != want.ID {
					t.Fatalf("page %d, record %d is %s, want %s", number, i, record.ID, want.ID)
				}
			}
		}
	})
	t.Run("exclusive dates", func(t *testing.T) {
		s := run(sandbox.Config{ExclusiveDates: true})
		at := s.Ledger().Deposits()[100].CreatedAt
		from := list(t, s, fmt.Sprintf("/deposit?startDate=%s", at.Format(time.RFC3339Nano))).Total
		to := list(t, s, fmt.Sprintf("/deposit?endDate=%s", at.Format(time.RFC3339Nano))).Total
		same := 0
		for _, e := range s.Ledger().Deposits() {
			if e.CreatedAt.Equal(at) {
				same++
			}
		}
		if from+to+same != 250 || same == 0 {
			t.Errorf("%d after, %d before, %d at the instant of 250", from, to, same)
		}
	})
	t.Run("strict query", func(t *testing.T) {
		s := run(sandbox.Config{StrictQuery: true})
		statuses{"?minAmount=10": 200, "?colour=red": 422}.check(t, s, s.CoreURL()+"/withdrawal")
		id := s.Ledger().Transactions()[0].ID
		statuses{"": 200, "?colour=red": 422}.check(t, s, s.CoreURL()+"/transaction/"+id)
	})
	t.Run("scope of the core", func(t *testing.T) {
		s := run(sandbox.Config{CoreScope: "read_core"})
		for token, want := range map[string]int{s.Token(): http.StatusForbidden, s.Token("read_core"): http.StatusOK} {
			if got := getAs(t, token, s.CoreURL()+"/deposit"); got.status != want {
				t.Errorf("status %d, want %d", got.status, want)
			}
		}
	})
	t.Run("seed", func(t *testing.T) {
		first := run(sandbox.Config{Seed: 7}).Ledger().Withdrawals()[0].ID
		if again, other := run(sandbox.Config{Seed: 7}), run(sandbox.Config{Seed: 8}); again.Ledger().Withdrawals()[0].ID != first ||
			other.Ledger().Withdrawals()[0].ID == first {
			t.Error("the seed does not determine the records")
		}
	})
	t.Run("audience", func(t *testing.T) {
		s := run(sandbox.Config{Audience: "pix"})
		if s.Audience() != "pix" {
			t.Errorf("Audience %q", s.Audience())
		}
		if got := get(t, s, s.CoreURL()+"/deposit"); got.status != http.StatusOK {
			t.Errorf("status %d", got.status)
		}
	})
	t.Run("clock", func(t *testing.T) {
		begin := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
		var passed atomic.Int64
		s := run(sandbox.Config{Now: func() time.Time { return begin.Add(time.Duration(passed.Load())) }})
		if newest := s.Ledger().Deposits()[0].CreatedAt; newest.After(begin) || newest.Before(begin.Add(-24*time.Hour)) {
			t.Errorf("the newest deposit is from %v", newest)
		}
		token := s.Token()
		passed.Store(int64(59 * time.Minute))
		if got := getAs(t, token, s.CoreURL()+"/deposit"); got.status != http.StatusOK {
			t.Errorf("status %d during the token's lifetime", got.status)
		}
		passed.Store(int64(61 * time.Minute))
		if got := getAs(t, token, s.CoreURL()+"/deposit"); got.status != http.StatusUnauthorized {
			t.Errorf("status %d after the token's lifetime", got.status)
		}
	})
}
