package sandbox_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/sandbox"
)

// TestSettings: every field of Config with another value than the default.
func TestSettings(t *testing.T) {
	with := func(name string, cfg sandbox.Config, test func(*testing.T, *sandbox.Sandbox)) {
		cfg.Records = 250
		t.Run(name, func(t *testing.T) { run(t, cfg, test) })
	}
	for _, tt := range []struct {
		name                             string
		cfg                              sandbox.Config
		query                            string
		page, perPage, records, allPages int
	}{
		{"names of the paging parameters", sandbox.Config{PageParam: "p", PerPageParam: "size"}, "?p=2&size=30", 2, 30, 30, 9},
		{"other names", sandbox.Config{PageParam: "p", PerPageParam: "size"}, "?page=2&perPage=30", 1, 20, 20, 13},
		{"paging ignored", sandbox.Config{IgnorePaging: true}, "?page=2&perPage=0", 1, 20, 20, 13},
		{"sizes ignored", sandbox.Config{IgnorePerPage: true}, "?page=2&perPage=7", 2, 20, 20, 13},
		{"size of pages", sandbox.Config{DefaultPerPage: 5, MaxPerPage: 7}, "", 1, 5, 5, 50},
		{"largest page", sandbox.Config{DefaultPerPage: 5, MaxPerPage: 7}, "?perPage=7", 1, 7, 7, 36},
		{"largest page below the default", sandbox.Config{MaxPerPage: 7}, "", 1, 7, 7, 36},
		{"size of pages clamped", sandbox.Config{ClampPerPage: true}, "?perPage=1000", 1, 100, 100, 3},
	} {
		with(tt.name, tt.cfg, func(t *testing.T, s *sandbox.Sandbox) {
			p, first := list(t, s, "/deposit"+tt.query), s.Ledger().Deposits()[(tt.page-1)*tt.perPage].ID
			if p.CurrentPage != tt.page || p.PerPage != tt.perPage || len(p.Data) != tt.records || p.TotalPages != tt.allPages || p.Data[0].ID != first {
				t.Errorf("page %d of %d, %d records of %d each, from %s", p.CurrentPage, p.TotalPages, len(p.Data), p.PerPage, p.Data[0].ID)
			}
		})
	}
	with("too large a page", sandbox.Config{MaxPerPage: 7}, func(t *testing.T, s *sandbox.Sandbox) {
		statuses{"?perPage=8": 422}.check(t, s, s.CoreURL()+"/deposit")
	})
	with("oldest first", sandbox.Config{OldestFirst: true}, func(t *testing.T, s *sandbox.Sandbox) {
		deposits := s.Ledger().Deposits()
		for number := 1; number <= 3; number++ {
			for i, record := range list(t, s, fmt.Sprintf("/deposit?perPage=100&page=%d", number)).Data {
				if want := deposits[len(deposits)-1-100*(number-1)-i]; record.ID != want.ID {
					t.Fatalf("page %d, record %d is %s, want %s", number, i, record.ID, want.ID)
				}
			}
		}
	})
	with("exclusive dates", sandbox.Config{ExclusiveDates: true}, func(t *testing.T, s *sandbox.Sandbox) {
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
	with("strict query", sandbox.Config{StrictQuery: true}, func(t *testing.T, s *sandbox.Sandbox) {
		statuses{"?minAmount=10": 200, "?colour=red": 422}.check(t, s, s.CoreURL()+"/withdrawal")
		id := s.Ledger().Transactions()[0].ID
		statuses{"": 200, "?colour=red": 422}.check(t, s, s.CoreURL()+"/transaction/"+id)
	})
	with("scope of the core", sandbox.Config{CoreScope: "read_core"}, func(t *testing.T, s *sandbox.Sandbox) {
		for token, want := range map[string]int{s.Token(): http.StatusForbidden, s.Token("read_core"): http.StatusOK} {
			if got := getAs(t, token, s.CoreURL()+"/deposit"); got.status != want {
				t.Errorf("status %d, want %d", got.status, want)
			}
		}
	})
	with("seed", sandbox.Config{Seed: 7}, func(t *testing.T, s *sandbox.Sandbox) {
		first := s.Ledger().Withdrawals()[0].ID
		for seed, same := range map[uint64]bool{7: true, 8: false} {
			other := start(t, sandbox.Config{Records: 250, Seed: seed}).Ledger().Withdrawals()[0].ID
			if (other == first) != same {
				t.Errorf("seed %d does not determine the records", seed)
			}
		}
	})
	with("audience", sandbox.Config{Audience: "pix"}, func(t *testing.T, s *sandbox.Sandbox) {
		if s.Audience() != "pix" {
			t.Errorf("Audience %q", s.Audience())
		}
		if got := get(t, s, s.CoreURL()+"/deposit"); got.status != http.StatusOK {
			t.Errorf("status %d", got.status)
		}
	})
	begin := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	var passed atomic.Int64
	now := func() time.Time { return begin.Add(time.Duration(passed.Load())) }
	with("clock", sandbox.Config{Now: now}, func(t *testing.T, s *sandbox.Sandbox) {
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
