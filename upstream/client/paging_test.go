package client_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

func TestPaging(t *testing.T) {
	page := func(current, perPage, records string) string {
		return `{"total":45,"totalPages":3,"currentPage":` + current + `,"perPage":` + perPage + `,"data":[` + records + `]}`
	}
	both := func(c *config) { c.PageParam, c.PerPageParam = "page", "itens por página" }
	onlyPage := func(c *config) { c.PageParam = "page" }
	onlySize := func(c *config) { c.PerPageParam = "size" }
	none := func(*config) {}
	type request = client.PageRequest
	const unsupported = upstream.KindPagingNotSupported
	tests := []struct {
		name     string
		config   func(*config)
		want     request
		response string
		query    string   // what is sent; "-" for no call
		missing  []string // the settings in the error
		bad      upstream.Kind
		used     int64 // the page size in the error
	}{
		{name: "no page requested", config: both, response: page("1", "20", "")},
		{name: "no page requested, another sent", config: both, response: page("3", "20", "")},
		{name: "page 1 without parameters", config: none, want: request{Number: 1}, response: page("1", "20", "")},
		{name: "page 1", config: both, want: request{Number: 1}, response: page("1", "20", "")},
		{
			name: "page 1 of an API that counts from 0", config: both, want: request{Number: 1, Size: 20}, response: page("0", "20", ""),
			query: "?itens+por+p%C3%A1gina=20", bad: unsupported,
		},
		{name: "page 2", config: onlyPage, want: request{Number: 2}, response: page("2", "20", "{}"), query: "?page=2"},
		{
			name: "page and size", config: both, want: request{Number: 2, Size: 10}, response: page("2", "10", "{},{}"),
			query: "?itens+por+p%C3%A1gina=10&page=2",
		},
		{name: "size", config: onlySize, want: request{Size: 10}, response: page("1", "10", ""), query: "?size=10"},
		{name: "page 1 and size", config: onlySize, want: request{Number: 1, Size: 10}, response: page("1", "10", ""), query: "?size=10"},
		{name: "page past the end", config: onlyPage, want: request{Number: 9}, response: page("9", "20", ""), query: "?page=9"},

		{name: "page 2, no parameters", config: none, want: request{Number: 2}, query: "-", missing: []string{"paging_page_param"}},
		{name: "page 2, no page parameter", config: onlySize, want: request{Number: 2, Size: 10}, query: "-", missing: []string{"paging_page_param"}},
		{name: "size, no parameters", config: none, want: request{Number: 1, Size: 10}, query: "-", missing: []string{"paging_per_page_param"}},
		{name: "size, no size parameter", config: onlyPage, want: request{Number: 2, Size: 10}, query: "-", missing: []string{"paging_per_page_param"}},
		{name: "both, no parameters", config: none, want: request{Number: 2, Size: 10}, query: "-", missing: []string{"paging_page_param", "paging_per_page_param"}},

		{name: "another page", config: both, want: request{Number: 2}, response: page("1", "20", "{}"), query: "?page=2", bad: unsupported},
		{name: "another page without parameters", config: none, want: request{Number: 1}, response: page("0", "20", ""), bad: unsupported},
		{name: "the first page in another size", config: onlySize, want: request{Size: 10}, response: page("1", "20", "{}"), query: "?size=10"},
		{name: "page 1 in another size", config: onlySize, want: request{Number: 1, Size: 10}, response: page("1", "5", "{}"), query: "?size=10"},
		{
			name: "a later page in another size", config: both, want: request{Number: 2, Size: 10}, response: page("2", "20", "{}"),
			query: "?itens+por+p%C3%A1gina=10&page=2", bad: unsupported, used: 20,
		},
		{
			name: "a later page in any size", config: both, want: request{Number: 2, Size: 10, AnySize: true}, response: page("2", "20", "{}"),
			query: "?itens+por+p%C3%A1gina=10&page=2",
		},
		{
			name: "another page in any size", config: both, want: request{Number: 2, Size: 10, AnySize: true}, response: page("1", "20", "{}"),
			query: "?itens+por+p%C3%A1gina=10&page=2", bad: unsupported,
		},
		{name: "records on a page of no size", config: onlySize, want: request{Size: 10}, response: page("1", "0", "{}"), query: "?size=10", bad: unsupported},
		{
			name: "more records than the page size", config: onlySize, want: request{Size: 10}, response: page("1", "2", "{},{},{}"),
			query: "?size=10", bad: unsupported,
		},
		{name: "more records than requested", config: onlySize, want: request{Size: 2}, response: page("1", "2", "{},{},{}"), query: "?size=2", bad: unsupported},
		{name: "negative page", config: both, want: request{Number: -1}, query: "-", bad: upstream.KindInvalidInput},
		{name: "negative size", config: both, want: request{Number: 1, Size: -1}, query: "-", bad: upstream.KindInvalidInput},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			handler, seen := recordRequests(tt.response)
			c := newClient(t, serve(t, handler).URL, tt.config)
			_, err := c.Deposits(context.Background(), nil, tt.want)
			var notConfigured *client.NotConfiguredError
			switch {
			case tt.missing != nil:
				if !errors.As(err, &notConfigured) || !slices.Equal(notConfigured.Settings, tt.missing) || upstream.KindOf(err) != unsupported {
					t.Errorf("error = %v, want a NotConfiguredError with %v", err, tt.missing)
				}
				if !strings.HasSuffix(err.Error(), ": "+strings.Join(tt.missing, ", ")) {
					t.Errorf("text %q does not end in %v", err, tt.missing)
				}
			case tt.bad != 0:
				if upstream.KindOf(err) != tt.bad {
					t.Errorf("error = %v, want kind %v", err, tt.bad)
				}
				if size := (*client.PageSizeError)(nil); errors.As(err, &size) != (tt.used > 0) || tt.used > 0 && size.Used != tt.used {
					t.Errorf("error = %v, want a PageSizeError with %d", err, tt.used)
				}
			case err != nil:
				t.Errorf("error = %v", err)
			}
			if tt.query == "-" {
				if len(seen) != 0 {
					t.Errorf("%s was sent", <-seen)
				}
				return
			}
			if got := <-seen; got != "/deposit"+tt.query {
				t.Errorf("sent %s, want /deposit%s", got, tt.query)
			}
		})
	}
}
