package paging

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/internal/egress"
	"pixgraph/internal/leaktest"
	"pixgraph/internal/memnet"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// api serves a list of the records r0, r1 and so on.
type api struct {
	total int
	page  func(number, requested int) page // requested is 0 for no size
	sizes []int                            // that were requested, one for each call
}

// page is a page: its counts, and the range of its records. A totalPages below 0 is one of wrongCounts.
type page struct{ perPage, totalPages, from, to int }

// wrongCounts are the counts of APIs that do not count.
var wrongCounts = map[int]string{-1: "", -2: `"total":0,"totalPages":0,`, -3: `"totalPages":0,`}

// ofSize is a page of an API whose pages all have the size.
func (a *api) ofSize(number, size int) page {
	from := min((number-1)*size, a.total)
	return page{size, (a.total + size - 1) / size, from, min(from+size, a.total)}
}

// ServeHTTP implements http.Handler.
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	number, _ := strconv.Atoi(r.FormValue("page"))
	requested, _ := strconv.Atoi(r.FormValue("perPage"))
	a.sizes = append(a.sizes, requested)
	p := a.page(max(number, 1), requested)
	var data []string
	for i := p.from; i < p.to; i++ {
		data = append(data, fmt.Sprintf(`{"id":"r%d"}`, i))
	}
	counts := fmt.Sprintf(`"total":%d,"totalPages":%d,`, a.total, p.totalPages)
	if p.totalPages < 0 {
		counts = wrongCounts[p.totalPages]
	}
	_, _ = fmt.Fprintf(w, `{%s"currentPage":%d,"perPage":%d,"data":[%s]}`, counts, max(number, 1), p.perPage, strings.Join(data, ","))
}

// ids are the ids of a connection's records.
func ids(t *testing.T, c *Connection[upstream.Deposit]) []string {
	t.Helper()
	list := make([]string, c.Len())
	for i := range list {
		record, err := c.Raw(i)
		must(t, err)
		id, err := record.Text("id", true)
		must(t, err)
		list[i] = id.String()
	}
	return list
}

// endCursor is the cursor of a connection's last record; nil on an empty page.
func endCursor(c *Connection[upstream.Deposit]) (*string, error) {
	found, err := c.PageInfo().Field("endCursor")
	if text, ok := found.(string); ok {
		return &text, err
	}
	return nil, err
}

// noFilter is a filter without parameters.
type noFilter struct{}

func (noFilter) Violations() []upstream.Violation { return nil }
func (noFilter) Query() url.Values                { return nil }

// listerOf lists the deposits of an API through a client, which compares each page with its request.
func listerOf(t *testing.T, handler http.Handler) Lister[upstream.Deposit] {
	t.Helper()
	var network memnet.Network
	access, err := egress.Open(egress.Config{Dialer: &network})
	must(t, err)
	t.Cleanup(access.Close)
	url := network.Serve(t, handler)
	apis, err := client.New(client.Config{
		CoreURL: url, DispatcherURL: url, Core: access, Dispatcher: access, PageParam: "page", PerPageParam: "perPage",
	})
	must(t, err)
	t.Cleanup(apis.Close)
	return func(ctx context.Context, request client.PageRequest) (*upstream.Page[upstream.Deposit], error) {
		return apis.Open(client.Operation{}).Deposits(ctx, nil, request)
	}
}

// behaviour is a way to size pages. It returns the function for the API's pages, and whether a walk may end with an
// error.
type behaviour func(a *api, random *rand.Rand) (page func(number, requested int) page, mayFail bool)

// oneSize is an API whose pages all have one size, which depends on the requested size.
func oneSize(size func(requested int, random *rand.Rand) int, mayFail bool) behaviour {
	return func(a *api, random *rand.Rand) (func(int, int) page, bool) {
		return func(number, requested int) page {
			if requested == 0 {
				requested = 20
			}
			return a.ofSize(number, size(requested, random))
		}, mayFail
	}
}

// varying is an API whose pages have different sizes.
func varying(a *api, random *rand.Rand) (func(int, int) page, bool) {
	ends := []int{0}
	for ends[len(ends)-1] < a.total {
		ends = append(ends, ends[len(ends)-1]+1+random.IntN(40))
	}
	pages := len(ends) - 1
	consistent := map[int]bool{} // the sizes that all pages could have, according to the counts
	for i := range pages {
		if size := ends[i+1] - ends[i]; (a.total+size-1)/size == pages {
			consistent[size] = true
		}
	}
	return func(number, _ int) page {
		if number > pages {
			return page{7, pages, a.total, a.total}
		}
		return page{ends[number] - ends[number-1], pages, ends[number-1], min(ends[number], a.total)}
	}, len(consistent) > 1 // then the pages look like those of one size that changes
}

// behaviours are the ways in which APIs size their pages.
var behaviours = map[string]behaviour{
	"has the requested size": oneSize(func(requested int, _ *rand.Rand) int { return requested }, false),
	"caps the size": func(a *api, random *rand.Rand) (func(int, int) page, bool) {
		limit := 1 + random.IntN(60)
		return oneSize(func(requested int, _ *rand.Rand) int { return min(requested, limit) }, false)(a, random)
	},
	"has its own size": func(a *api, random *rand.Rand) (func(int, int) page, bool) {
		own := 1 + random.IntN(250)
		return oneSize(func(int, *rand.Rand) int { return own }, false)(a, random)
	},
	"rounds the size": oneSize(func(requested int, _ *rand.Rand) int { return max(requested/25*25, 10) }, false),
	"has the number of records as the size of its last page": func(a *api, _ *rand.Rand) (func(int, int) page, bool) {
		return func(number, requested int) page {
			if requested == 0 {
				requested = 20
			}
			p := a.ofSize(number, requested)
			p.perPage = p.to - p.from
			return p
		}, false
	},
	"does not count its pages": func(a *api, random *rand.Rand) (func(int, int) page, bool) {
		own := 1 + random.IntN(60)
		return func(number, _ int) page {
			p := a.ofSize(number, own)
			p.totalPages = 0
			return p
		}, false
	},
	"counts nothing": func(a *api, random *rand.Rand) (func(int, int) page, bool) {
		limit, counts := 1+random.IntN(60), -1-random.IntN(len(wrongCounts))
		return func(number, requested int) page {
			p := a.ofSize(number, min(max(requested, 1), limit))
			p.totalPages = counts
			return p
		}, false
	},
	"caps the size and has the number of records as the size of its last page": func(a *api, random *rand.Rand) (func(int, int) page, bool) {
		limit := 1 + random.IntN(60)
		return func(number, requested int) page {
			p := a.ofSize(number, min(max(requested, 1), limit))
			p.perPage = p.to - p.from
			return p
		}, false
	},
	"has the requested size and counts a page too many": func(a *api, _ *rand.Rand) (func(int, int) page, bool) {
		return func(number, requested int) page {
			p := a.ofSize(number, max(requested, 1))
			p.totalPages = a.total/p.perPage + 1
			return p
		}, false
	},
	"has pages of different sizes":       varying,
	"changes the size from call to call": oneSize(func(_ int, random *rand.Rand) int { return 1 + random.IntN(60) }, true),
	"lowers its cap sometimes": oneSize(func(requested int, random *rand.Rand) int {
		if random.IntN(10) == 0 {
			return min(requested, 30)
		}
		return min(requested, 50)
	}, true),
}

// TestWalks: a walk through a list of any length, in windows of any size, returns each record once and in order,
// however the API sizes its pages. If the API makes that impossible, the walk ends with an error.
func TestWalks(t *testing.T) {
	for name, behave := range behaviours {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &api{}
				fetch := listerOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.ServeHTTP(w, r) }))
				complete := 0
				for seed := range uint64(60) {
					random := rand.New(rand.NewPCG(seed, 1))
					*a = api{total: random.IntN(250)}
					mayFail := false
					a.page, mayFail = behave(a, random)
					seen, err := walk(t, a, fetch, random)
					switch {
					case err != nil && (!mayFail || upstream.KindOf(err) != upstream.KindPagingNotSupported):
						t.Fatalf("seed %d: after %d of %d records: %v", seed, len(seen), a.total, err)
					case err == nil && len(seen) != a.total:
						t.Fatalf("seed %d: %d of %d records", seed, len(seen), a.total)
					case err == nil:
						complete++
					}
					for i, id := range seen {
						if want := fmt.Sprint("r", i); id != want {
							t.Fatalf("seed %d: record %d is %s", seed, i, id)
						}
					}
				}
				if complete == 0 {
					t.Error("no walk reached the end of its list")
				}
			})
		})
	}
}

// walk reads a list by first and after, and returns the ids of its records until the end or an error.
func walk(t *testing.T, a *api, fetch Lister[upstream.Deposit], random *rand.Rand) (seen []string, err error) {
	t.Helper()
	var after *string
	same := int32(1 + random.IntN(MaxSize))
	for steps := 0; ; steps++ {
		if steps > 2*a.total+2 {
			t.Fatalf("no end after %d steps", steps)
		}
		arguments := Arguments{After: after}
		switch random.IntN(4) {
		case 0: // without first, the size of the pages
		case 1:
			arguments.First = new(int32(1 + random.IntN(MaxSize)))
		default:
			arguments.First = &same
		}
		a.sizes = nil
		c, err := Fetch(context.Background(), "deposits", noFilter{}, arguments, fetch)
		if limit := 1 + min(steps, 1); len(a.sizes) > limit {
			t.Fatalf("%d calls, want %d at most", len(a.sizes), limit)
		}
		if err != nil {
			return seen, err
		}
		if limit := valueOf(arguments.First, 250); c.Len() > limit {
			t.Fatalf("%d records, want %d at most", c.Len(), limit)
		}
		seen = append(seen, ids(t, c)...)
		info := c.PageInfo()
		if info.HasPreviousPage != (steps > 0) && c.Len() > 0 {
			t.Fatalf("hasPreviousPage is %v in step %d", info.HasPreviousPage, steps)
		}
		if !info.HasNextPage {
			return seen, nil
		}
		if after, err = endCursor(c); err != nil || after == nil {
			t.Fatalf("the end cursor is %v, %v, though there is a next page", after, err)
		}
	}
}

// TestCalls: the sizes that each step of a walk requests, and the number of its records.
func TestCalls(t *testing.T) {
	cap50 := func(requested int) int { return min(requested, 50) }
	own20 := func(int) int { return 20 }
	tests := []struct {
		name   string
		size   func(requested int) int
		firsts []int32
		sizes  [][]int // that each step requests
		counts []int   // of the records of each step
	}{
		{"the requested size", func(requested int) int { return requested }, []int32{60, 60, 60}, [][]int{{60}, {60}, {60}}, []int{60, 60, 60}},
		{"the requested size, which changes", func(requested int) int { return requested },
			[]int32{70, 31, 99}, [][]int{{70}, {31, 31}, {99, 99}}, []int{70, 31, 99}},
		{"a cap", cap50, []int32{100, 100, 100}, [][]int{{100}, {100, 100}, {100, 100}}, []int{50, 100, 90}},
		{"a cap, and a smaller first later", cap50, []int32{100, 10, 45}, [][]int{{100}, {100}, {100, 100}}, []int{50, 10, 45}},
		{"a cap, and a larger first later", cap50, []int32{40, 100, 100}, [][]int{{40}, {100, 100}, {100, 100}}, []int{40, 60, 100}},
		{"a fixed size", own20, []int32{8, 8, 8, 100}, [][]int{{8}, {8}, {8, 8}, {8, 8}}, []int{8, 8, 8, 36}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &api{total: 240}
				a.page = func(number, requested int) page { return a.ofSize(number, tt.size(requested)) }
				fetch := listerOf(t, a)
				var after *string
				for i, first := range tt.firsts {
					a.sizes = nil
					c, err := Fetch(context.Background(), "deposits", noFilter{}, Arguments{First: &first, After: after}, fetch)
					must(t, err)
					if !slices.Equal(a.sizes, tt.sizes[i]) || c.Len() != tt.counts[i] {
						t.Errorf("step %d: %d records, requested %v; want %d, %v", i, c.Len(), a.sizes, tt.counts[i], tt.sizes[i])
					}
					after, err = endCursor(c)
					must(t, err)
				}
			})
		})
	}
}

// TestImpossibleWindows: pages that cannot be located, or that would look like the end of the list, are errors.
func TestImpossibleWindows(t *testing.T) {
	tests := []struct {
		name  string
		page  func(number int) page // of 100 records
		after place
		calls int
		want  error
	}{
		{"empty pages before the last", func(int) page { return page{20, 5, 0, 0} }, place{1, 19, 20, sizing{kind: sizeRequested}}, 2, errEmpty},
		{"uncounted empty pages before the last", func(int) page { return page{20, 0, 0, 0} }, place{1, 19, 20, sizing{sizeVaries, 50}}, 2, errEmpty},
		{"no page size, before the last page", func(int) page { return page{0, 5, 0, 0} }, place{1, 19, 20, sizing{kind: sizeRequested}}, 1, errEmpty},
		{"the same number of pages of another size", func(int) page { return page{24, 5, 24, 48} }, place{1, 19, 20, sizing{sizeOther, 50}}, 1, errSize},
		{"a page of another size than before", func(int) page { return page{15, 5, 15, 30} }, place{2, 3, 20, sizing{sizeVaries, 50}}, 1, errSize},
		{"a size that changes with each call", func(number int) page {
			return page{number * 30, (100 + number*30 - 1) / (number * 30), 0, 1}
		}, place{3, 9, 10, sizing{sizeOther, 50}}, 2, errSize},
		{"an unreasonable page size", func(int) page { return page{1 << 40, 1, 0, 1} }, place{2, 3, 20, sizing{sizeOther, 50}}, 1, errSize},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &api{total: 100}
				a.page = func(number, _ int) page { return tt.page(number) }
				after, err := cursor{tt.after, digestOf("deposits", nil)}.encode()
				must(t, err)
				_, err = Fetch(context.Background(), "deposits", noFilter{}, Arguments{First: new(int32(20)), After: &after}, listerOf(t, a))
				if !errors.Is(err, tt.want) || upstream.KindOf(err) != upstream.KindPagingNotSupported || len(a.sizes) != tt.calls {
					t.Errorf("error %v after %d calls, want %v after %d", err, len(a.sizes), tt.want, tt.calls)
				}
			})
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
