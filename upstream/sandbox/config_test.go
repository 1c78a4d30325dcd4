package sandbox_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/upstream/sandbox"
)

// TestSettings: every field of Config with another value than the default.
func TestSettings(t *testing.T) {
	run := func(cfg sandbox.Config) *conformance {
		cfg.Records = 250
		s := start(t, cfg)
		return &conformance{core: s.CoreURL(), dispatcher: s.DispatcherURL(), token: s.Token(), narrow: s.Token(""), sandbox: s}
	}
	t.Run("names of the paging parameters", func(t *testing.T) {
		c := run(sandbox.Config{PageParam: "p", PerPageParam: "size"})
		if p := c.page(t, c.core+"/deposit?p=2&size=30"); p.CurrentPage != 2 || p.PerPage != 30 || len(p.Data) != 30 {
			t.Errorf("page %d of %d", p.CurrentPage, p.PerPage)
		}
		if p := c.page(t, c.core+"/deposit?page=2&perPage=30"); p.CurrentPage != 1 || p.PerPage != 20 {
			t.Errorf("page %d of %d with unknown names", p.CurrentPage, p.PerPage)
		}
	})
	t.Run("paging ignored", func(t *testing.T) {
		c := run(sandbox.Config{IgnorePaging: true})
		first := c.page(t, c.core+"/deposit")
		p := c.page(t, c.core+"/deposit?page=2&perPage=0")
		if p.CurrentPage != 1 || p.PerPage != 20 || text(t, p.Data[0], "id") != text(t, first.Data[0], "id") {
			t.Errorf("page %d of %d, want the first page", p.CurrentPage, p.PerPage)
		}
	})
	t.Run("sizes ignored", func(t *testing.T) {
		c := run(sandbox.Config{IgnorePerPage: true})
		p := c.page(t, c.core+"/deposit?page=2&perPage=7")
		if p.CurrentPage != 2 || p.PerPage != 20 || len(p.Data) != 20 || p.TotalPages != 13 {
			t.Errorf("page %d of %d, %d records, totalPages %d", p.CurrentPage, p.PerPage, len(p.Data), p.TotalPages)
		}
	})
	t.Run("sizes of pages", func(t *testing.T) {
		c := run(sandbox.Config{DefaultPerPage: 5, MaxPerPage: 7})
		if p := c.page(t, c.core+"/deposit"); p.PerPage != 5 || len(p.Data) != 5 {
			t.Errorf("perPage %d", p.PerPage)
		}
		c.validations(t, c.core+"/deposit", []validation{{"largest", "perPage=7", 200}, {"above", "perPage=8", 422}})
	})
	t.Run("largest page below the default", func(t *testing.T) {
		c := run(sandbox.Config{MaxPerPage: 7})
		if p := c.page(t, c.core+"/deposit"); p.PerPage != 7 {
			t.Errorf("perPage %d, want 7", p.PerPage)
		}
	})
	t.Run("size of pages clamped", func(t *testing.T) {
		c := run(sandbox.Config{ClampPerPage: true})
		if p := c.page(t, c.core+"/deposit?perPage=1000"); p.PerPage != 100 || len(p.Data) != 100 || p.TotalPages != 3 {
			t.Errorf("perPage %d, totalPages %d", p.PerPage, p.TotalPages)
		}
	})
	t.Run("oldest first", func(t *testing.T) {
		c := run(sandbox.Config{OldestFirst: true})
		want := slices.Clone(c.sandbox.Ledger().Deposits())
		slices.Reverse(want)
		c.pages(t, c.core+"/deposit", want)
	})
	t.Run("exclusive dates", func(t *testing.T) {
		c := run(sandbox.Config{ExclusiveDates: true})
		at := c.sandbox.Ledger().Deposits()[100].CreatedAt
		from := c.page(t, fmt.Sprintf("%s/deposit?startDate=%s", c.core, at.Format(time.RFC3339Nano))).Total
		to := c.page(t, fmt.Sprintf("%s/deposit?endDate=%s", c.core, at.Format(time.RFC3339Nano))).Total
		same := 0
		for _, e := range c.sandbox.Ledger().Deposits() {
			if e.CreatedAt.Equal(at) {
				same++
			}
		}
		if from+to+same != 250 || same == 0 {
			t.Errorf("%d after, %d before, %d at the instant of 250", from, to, same)
		}
	})
	t.Run("strict query", func(t *testing.T) {
		c := run(sandbox.Config{StrictQuery: true})
		c.validations(t, c.core+"/withdrawal", []validation{{"known", "minAmount=10", 200}, {"unknown", "colour=red", 422}})
		id := c.sandbox.Ledger().Transactions()[0].ID
		c.validations(t, c.core+"/transaction/"+id, []validation{{"none", "", 200}, {"any", "colour=red", 422}})
	})
	t.Run("scope of the core", func(t *testing.T) {
		c := run(sandbox.Config{CoreScope: "read_core"})
		for token, want := range map[string]int{c.token: http.StatusForbidden, c.sandbox.Token("read_core"): http.StatusOK} {
			if got := c.getAs(t, token, c.core+"/deposit"); got.status != want {
				t.Errorf("status %d, want %d", got.status, want)
			}
		}
	})
	t.Run("audience", func(t *testing.T) {
		c := run(sandbox.Config{Audience: "pix"})
		if c.sandbox.Audience() != "pix" {
			t.Errorf("Audience %q", c.sandbox.Audience())
		}
		if got := c.get(t, c.core+"/deposit"); got.status != http.StatusOK {
			t.Errorf("status %d", got.status)
		}
	})
	t.Run("clock", func(t *testing.T) {
		begin := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
		var passed atomic.Int64
		c := run(sandbox.Config{Now: func() time.Time { return begin.Add(time.Duration(passed.Load())) }})
		if newest := c.sandbox.Ledger().Deposits()[0].CreatedAt; newest.After(begin) || newest.Before(begin.Add(-24*time.Hour)) {
			t.Errorf("the newest deposit is from %v", newest)
		}
		token := c.token
		passed.Store(int64(59 * time.Minute))
		if got := c.getAs(t, token, c.core+"/deposit"); got.status != http.StatusOK {
			t.Errorf("status %d during the token's lifetime", got.status)
		}
		passed.Store(int64(61 * time.Minute))
		if got := c.getAs(t, token, c.core+"/deposit"); got.status != http.StatusUnauthorized {
			t.Errorf("status %d after the token's lifetime", got.status)
		}
	})
}
