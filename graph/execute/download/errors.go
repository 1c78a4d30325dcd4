package download

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// recordAt is the position of the index of a record in the path of an error: after the list, and nodes or edges.
const recordAt = 2

// Errors are the paths of the errors of each record of a page, from the record on, by the index of the record.
type Errors map[int][]ast.Path

// Errors returns the errors of a page by record. The page has a number of records. A response has at most `limit`
// errors, and one more if there are further ones: then each null of the records from there on may be due to one.
func (l *List) Errors(errs gqlerror.List, limit, records int) Errors {
	if len(errs) == 0 {
		return nil
	}
	below := recordAt + 1
	if l.node != "" {
		below++
	}
	all := Errors{}
	for i, err := range errs {
		index, ok := indexIn(err)
		if !ok {
			continue
		}
		all[index] = append(all[index], err.Path[min(below, len(err.Path)):])
		for ; i == limit-1 && len(errs) > limit && index < records; index++ {
			all[index] = append(all[index], nil)
		}
	}
	return all
}

func indexIn(err *gqlerror.Error) (index int, ok bool) {
	if len(err.Path) <= recordAt {
		return 0, false
	}
	at, ok := err.Path[recordAt].(ast.PathIndex)
	return int(at), ok
}

// Numbered returns the errors of a page with the numbers of the records in the file instead of those in the page.
// before is the number of records of the pages before.
func Numbered(errs gqlerror.List, before int) gqlerror.List {
	all := make(gqlerror.List, len(errs))
	for i, err := range errs {
		all[i] = err
		if index, ok := indexIn(err); ok {
			other := *err
			other.Path = append(ast.Path{}, err.Path...)
			other.Path[recordAt] = ast.PathIndex(before + index)
			all[i] = &other
		}
	}
	return all
}
