package doctor

import (
	"fmt"
	"slices"
	"strings"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

const paging = "paging"

// size is the size of the requested pages. It is not the default of any known API, and two pages need few records.
const size = 3

// pageNames and sizeNames are common names of paging parameters, the most likely first. The documentation of this API
// does not name them, but its responses have currentPage and perPage.
func pageNames() []string { return []string{"page", "currentPage", "pageNumber", "p"} }
func sizeNames() []string {
	return []string{"perPage", "per_page", "limit", "pageSize", "size", "itemsPerPage"}
}

// paging requests page 2, and checks whether the response is page 2. For a parameter that is not configured it tries
// the common names.
func (e *examination) paging() Check {
	if e.Settings.Client.PageParam == "" {
		e.report.add(paging, e.suggest("paging_page_param", "only page 1 can be fetched", pageNames(), func(name string) bool {
			return e.understands(name, "", client.PageRequest{Number: 2})
		}))
	}
	if e.Settings.Client.PerPageParam == "" {
		e.report.add(paging, e.suggest("paging_per_page_param", "pages have the API's default size", sizeNames(), func(name string) bool {
			return e.understands("", name, client.PageRequest{Size: size})
		}))
	}
	if e.Settings.Client.PageParam != "" || e.Settings.Client.PerPageParam != "" {
		return e.readTwoPages()
	}
	return Check{}
}

// readTwoPages requests two pages with the configured parameters.
func (e *examination) readTwoPages() Check {
	first, second := client.PageRequest{Number: 1}, client.PageRequest{Number: 2}
	names := []string{}
	if name := e.Settings.Client.PerPageParam; name != "" {
		first.Size, second.Size = size, size
		names = append(names, "paging_per_page_param="+name)
	}
	if name := e.Settings.Client.PageParam; name != "" {
		names = append(names, "paging_page_param="+name)
	} else {
		second.Number = 1 // only the size can be checked
	}
	hint := "check the names of the API's parameters; configured: " + strings.Join(names, ", ")
	one, err := e.session().Deposits(e.ctx, nil, first)
	if err != nil {
		return failed(err.Error(), hint)
	}
	if used := one.PerPage; first.Size > 0 && used != size {
		e.report.add(paging, warned(fmt.Sprintf("requested %d records per page, the API returned %d", size, used), hint+
			"; if the size cannot be chosen, clients can use first and after, or page without perPage"))
		second.Size, names = 0, names[1:]
	} else if second.Number == 1 {
		return passed(fmt.Sprintf("fetched a page of %d records", size))
	}
	if second.Number == 1 {
		return Check{}
	}
	few := one.Total <= one.PerPage
	if one.Total == upstream.Uncounted {
		few = int64(len(one.Records)) < one.PerPage
	}
	if few {
		return skipped("there are too few deposits for a second page: "+plural(len(one.Records), "record"), "")
	}
	two, err := e.session().Deposits(e.ctx, nil, second)
	switch {
	case err != nil:
		return failed(err.Error(), hint)
	case slices.Equal(ids(one), ids(two)):
		return failed("the response claims to be page 2 and has the records of page 1", hint)
	default:
		return passed(fmt.Sprintf("fetched page 2 with %s", strings.Join(names, ", ")))
	}
}

// ids are the ids of a page's records. A record without an id is identified by its bytes.
func ids(page *upstream.Page[upstream.Deposit]) []string {
	list := make([]string, len(page.Records))
	for i, record := range page.Records {
		list[i] = string(record.Bytes())
		if deposit, err := record.Raw(); err == nil {
			if id, err := deposit.ID(); err == nil {
				list[i] = id.String()
			}
		}
	}
	return list
}

// suggest reports what does not work without a parameter, and which of the common names the API accepts.
func (e *examination) suggest(setting, lost string, names []string, understands func(name string) bool) Check {
	for _, name := range names {
		if name == e.Settings.Client.PageParam || name == e.Settings.Client.PerPageParam {
			continue
		}
		if understands(name) {
			return warned(setting+" is not set: "+lost, "the API accepts "+name+": set "+setting+"="+name)
		}
	}
	return warned(setting+" is not set: "+lost, "the API accepts none of "+strings.Join(names, ", ")+"; ask its operator")
}

// understands reports whether the API returns the requested page when its parameters have these names. The client
// checks the number of a page. It accepts any size of the first page, so the size is compared here.
func (e *examination) understands(pageParam, sizeParam string, request client.PageRequest) bool {
	s := e.Settings
	s.Client.PageParam, s.Client.PerPageParam = pageParam, sizeParam
	other := *e
	var err error
	other.apis, err = e.Connect(s)
	if err != nil {
		return false // only the URLs can be invalid, with which Run made a client
	}
	defer other.apis.Close()
	page, err := other.session().Deposits(e.ctx, nil, request)
	return err == nil && (request.Size == 0 || page.PerPage == int64(request.Size))
}
