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
	tests := []struct {
		name    string
		config  func(*config)
		want    client.PageRequest
		answer  string
		query   string   // what is sent; "-" for no call
		missing []string // the settings that the error names
		bad     upstream.Kind
		used    int64 // the size that the error says
	}{
		{name: "no page asked for", config: both, answer: page("1", "20", "")},
		{name: "no page asked for, another sent", config: both, answer: page("3", "20", "")},
		{name: "page 1 without parameters", config: none, want: client.PageRequest{Number: 1}, answer: page("1", "20", "")},
		{name: "page 1", config: both, want: client.PageRequest{Number: 1}, answer: page("1", "20", ""), query: "?page=1"},
		{name: "page 2", config: onlyPage, want: client.PageRequest{Number: 2}, answer: page("2", "20", "{}"), query: "?page=2"},
		{
			name: "page and size", config: both, want: client.PageRequest{Number: 2, Size: 10}, answer: page("2", "10", "{},{}"),
			query: "?itens+por+p%C3%A1gina=10&page=2",
		},
		{name: "size", config: onlySize, want: client.PageRequest{Size: 10}, answer: page("1", "10", ""), query: "?size=10"},
		{name: "page 1 and size", config: onlySize, want: client.PageRequest{Number: 1, Size: 10}, answer: page("1", "10", ""), query: "?size=10"},
		{name: "page past the end", config: onlyPage, want: client.PageRequest{Number: 9}, answer: page("9", "20", ""), query: "?page=9"},

		{name: "page 2, no parameters", config: none, want: client.PageRequest{Number: 2}, query: "-", missing: []string{"paging_page_param"}},
		{name: "page 2, no page parameter", config: onlySize, want: client.PageRequest{Number: 2, Size: 10}, query: "-", missing: []string{"paging_page_param"}},
		{name: "size, no parameters", config: none, want: client.PageRequest{Number: 1, Size: 10}, query: "-", missing: []string{"paging_per_page_param"}},
		{name: "size, no size parameter", config: onlyPage, want: client.PageRequest{Number: 2, Size: 10}, query: "-", missing: []string{"paging_per_page_param"}},
		{name: "both, no parameters", config: none, want: client.PageRequest{Number: 2, Size: 10}, query: "-", missing: []string{"paging_page_param", "paging_per_page_param"}},

		{name: "another page", config: both, want: client.PageRequest{Number: 2}, answer: page("1", "20", "{}"), query: "?page=2", bad: upstream.KindPagingNotSupported},
		{name: "another page without parameters", config: none, want: client.PageRequest{Number: 1}, answer: page("0", "20", ""), bad: upstream.KindPagingNotSupported},
		{name: "the first page in another size", config: onlySize, want: client.PageRequest{Size: 10}, answer: page("1", "20", "{}"), query: "?size=10"},
		{name: "page 1 in another size", config: onlySize, want: client.PageRequest{Number: 1, Size: 10}, answer: page("1", "5", "{}"), query: "?size=10"},
		{
			name: "a later page in another size", config: both, want: client.PageRequest{Number: 2, Size: 10}, answer: page("2", "20", "{}"),
			query: "?itens+por+p%C3%A1gina=10&page=2", bad: upstream.KindPagingNotSupported, used: 20,
		},
		{
			name: "a later page in any size", config: both, want: client.PageRequest{Number: 2, Size: 10, AnySize: true}, answer: page("2", "20", "{}"),
			query: "?itens+por+p%C3%A1gina=10&page=2",
		},
		{
			name: "another page in any size", config: both, want: client.PageRequest{Number: 2, Size: 10, AnySize: true}, answer: page("1", "20", "{}"),
			query: "?itens+por+p%C3%A1gina=10&page=2", bad: upstream.KindPagingNotSupported,
		},
		{name: "records on a page of no size", config: onlySize, want: client.PageRequest{Size: 10}, answer: page("1", "0", "{}"), query: "?size=10", bad: upstream.KindPagingNotSupported},
		{name: "more records than the page's own size", config: onlySize, want: client.PageRequest{Size: 10}, answer: page("1", "2", "{},{},{}"), query: "?size=10", bad: upstream.KindPagingNotSupported},
		{name: "more records than asked for", config: onlySize, want: client.PageRequest{Size: 2}, answer: page("1", "2", "{},{},{}"), query: "?size=2", bad: upstream.KindPagingNotSupported},
		{name: "negative page", config: both, want: client.PageRequest{Number: -1}, query: "-", bad: upstream.KindInvalidInput},
		{name: "negative size", config: both, want: client.PageRequest{Number: 1, Size: -1}, query: "-", bad: upstream.KindInvalidInput},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			handler, seen := recording(tt.answer)
			c := newClient(t, serve(t, handler).URL, tt.config)
			_, err := c.Deposits(context.Background(), nil, tt.want)
			var notConfigured *client.NotConfiguredError
			switch {
			case tt.missing != nil:
				if !errors.As(err, &notConfigured) || !slices.Equal(notConfigured.Settings, tt.missing) || upstream.KindOf(err) != upstream.KindPagingNotSupported {
					t.Errorf("error = %v, want one that names %v", err, tt.missing)
				}
				if !strings.HasSuffix(err.Error(), ": "+strings.Join(tt.missing, ", ")) {
					t.Errorf("text %q does not end in %v", err, tt.missing)
				}
			case tt.bad != 0:
				if upstream.KindOf(err) != tt.bad {
					t.Errorf("error = %v, want kind %v", err, tt.bad)
				}
				if size := (*client.PageSizeError)(nil); errors.As(err, &size) != (tt.used > 0) || tt.used > 0 && size.Used != tt.used {
					t.Errorf("error = %v, want one that says %d", err, tt.used)
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
