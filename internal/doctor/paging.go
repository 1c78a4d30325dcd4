package doctor

import (
	"fmt"
	"slices"
	"strings"

	"pixgraph/upstream"
)

// size is that of the pages that are asked for: unlike what any API gives by itself, and few records are enough for two.
const size = 3

// pageNames and sizeNames are what APIs call their paging parameters, the likeliest first: those of this one are not in its
// documentation, but it answers with currentPage and perPage.
func pageNames() []string { return []string{"page", "currentPage", "pageNumber", "p"} }
func sizeNames() []string {
	return []string{"perPage", "per_page", "limit", "pageSize", "size", "itemsPerPage"}
}

// paging asks for page 2, and looks whether the answer is page 2. Where a parameter is not configured it tries the usual
// names.
func (e *examination) paging(client *upstream.Client) error {
	const what = "paging"
	if e.down[upstream.Core] {
		e.report.add(what, Skipped, "deposits cannot be listed", "")
		return nil
	}
	if e.Settings.PagingPageParam == "" {
		if err := e.suggest("paging_page_param", "page 1 is all that can be had", pageNames(), e.understandsPage); err != nil {
			return err
		}
	}
	if e.Settings.PagingPerPageParam == "" {
		if err := e.suggest("paging_per_page_param", "pages have the API's own size", sizeNames(), e.understandsSize); err != nil {
			return err
		}
	}
	if e.Settings.PagingPageParam == "" && e.Settings.PagingPerPageParam == "" {
		return nil
	}
	e.turn(client)
	return nil
}

// turn asks for two pages with the parameters that are configured.
func (e *examination) turn(client *upstream.Client) {
	const what = "paging"
	first, second := upstream.PageRequest{Number: 1}, upstream.PageRequest{Number: 2}
	names := []string{}
	if name := e.Settings.PagingPerPageParam; name != "" {
		first.Size, second.Size = size, size
		names = append(names, "paging_per_page_param="+name)
	}
	if name := e.Settings.PagingPageParam; name != "" {
		names = append(names, "paging_page_param="+name)
	} else {
		second.Number = 1 // the size alone can be seen
	}
	hint := "see what the API calls its parameters; configured is " + strings.Join(names, ", ")
	one, err := e.session(client).Deposits(e.ctx, nil, first)
	if err != nil {
		e.report.add(what, Fail, err.Error(), hint)
		return
	}
	if used := one.PerPage; first.Size > 0 && used != size {
		e.report.add(what, Warn, fmt.Sprintf("asked for %d records per page, the API answers %d", size, used), hint+
			"; where the size cannot be chosen, clients page by first and after, or by page without perPage")
		second.Size, names = 0, names[1:]
	} else if second.Number == 1 {
		e.report.add(what, OK, fmt.Sprintf("a page of %d records was had", size), "")
	}
	if second.Number == 1 {
		return
	}
	if one.Total <= one.PerPage {
		e.report.add(what, Skipped, "there are too few deposits for a second page: "+plural(int(one.Total), "record"), "")
		return
	}
	two, err := e.session(client).Deposits(e.ctx, nil, second)
	switch {
	case err != nil:
		e.report.add(what, Fail, err.Error(), hint)
	case slices.Equal(ids(one), ids(two)):
		e.report.add(what, Fail, "the answer says that it is page 2, and has the records of page 1", hint)
	default:
		e.report.add(what, OK, fmt.Sprintf("page 2 was had, with %s", strings.Join(names, ", ")), "")
	}
}

// ids are those of a page's records. What has none is told apart by its bytes.
func ids(page *upstream.Page[upstream.Deposit]) []string {
	list := make([]string, len(page.Records))
	for i, record := range page.Records {
		list[i] = string(record.Bytes())
		if deposit, err := record.Decode(); err == nil {
			if id, err := deposit.ID(); err == nil {
				list[i] = id.String()
			}
		}
	}
	return list
}

// suggest says what is lost without a parameter, and which of the usual names the API understands.
func (e *examination) suggest(setting, lost string, names []string, understands func(name string) (bool, error)) error {
	for _, name := range names {
		if name == e.Settings.PagingPageParam || name == e.Settings.PagingPerPageParam {
			continue
		}
		yes, err := understands(name)
		if err != nil {
			return err
		}
		if yes {
			e.report.add("paging", Warn, setting+" is not set: "+lost, "the API understands "+name+": set "+setting+"="+name)
			return nil
		}
	}
	e.report.add("paging", Warn, setting+" is not set: "+lost,
		"the API understands none of "+strings.Join(names, ", ")+"; ask whoever runs it")
	return nil
}

// understandsPage reports whether the API answers page 2 when it is asked by a name. The client holds its answer to what
// was asked.
func (e *examination) understandsPage(name string) (yes bool, err error) {
	s := e.Settings
	s.PagingPageParam, s.PagingPerPageParam = name, ""
	return yes, e.connected(s, func(client *upstream.Client) {
		_, err := e.session(client).Deposits(e.ctx, nil, upstream.PageRequest{Number: 2})
		yes = err == nil
	})
}

// understandsSize reports whether the API answers a page of the size that it is asked for by a name. Any size passes for
// the first page, so it is compared here.
func (e *examination) understandsSize(name string) (yes bool, err error) {
	s := e.Settings
	s.PagingPageParam, s.PagingPerPageParam = "", name
	return yes, e.connected(s, func(client *upstream.Client) {
		page, err := e.session(client).Deposits(e.ctx, nil, upstream.PageRequest{Size: size})
		yes = err == nil && page.PerPage == size
	})
}
