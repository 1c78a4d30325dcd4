package upstream_test

import (
	"strings"
	"testing"

	"pixgraph/upstream"
	"pixgraph/upstream/wire"
)

func TestPageEnvelope(t *testing.T) {
	const good = `{"total":45.0,"totalPages":3,"currentPage":2,"perPage":2e1,"data":[ {"id":"1"} , 7 ,null,{"id":"2"}]}`
	page, err := upstream.DecodePage[upstream.Deposit]([]byte(good))
	must(t, err)
	if page.Total != 45 || page.TotalPages != 3 || page.CurrentPage != 2 || page.PerPage != 20 || len(page.Records) != 4 {
		t.Errorf("page = %+v", page)
	}
	for i, want := range []string{`{"id":"1"}`, `7`, `null`, `{"id":"2"}`} {
		record := page.Records[i]
		if got := string(record.Bytes()); got != want {
			t.Errorf("record %d = %s, want %s", i, got, want)
		}
		if _, err := record.Raw(); (err == nil) != (want[0] == '{') || err != nil && upstream.KindOf(err) != upstream.KindInvalidResponse {
			t.Errorf("record %d: error = %v", i, err)
		}
	}

	for _, count := range []string{`"total":45.0`, `"totalPages":3`, `"currentPage":2`, `"perPage":2e1`} {
		name, _, _ := strings.Cut(count, ":")
		for _, value := range []string{"-1", "1.5", "9223372036854775808", "1e999999999"} {
			_, err := upstream.DecodePage[upstream.Deposit]([]byte(strings.Replace(good, count, name+":"+value, 1)))
			if err == nil || !strings.Contains(err.Error(), strings.Trim(name, `"`)) {
				t.Errorf("%s is %s: error = %v, want an error that names it", name, value, err)
			}
		}
	}
}

// TestUncounted: a page may lack its counts, and nothing else.
func TestUncounted(t *testing.T) {
	for envelope, want := range map[string][2]int64{
		`"currentPage":1,"perPage":20,"data":[]`:                                {upstream.Uncounted, upstream.Uncounted},
		`"total":null,"totalPages":null,"currentPage":1,"perPage":20,"data":[]`: {upstream.Uncounted, upstream.Uncounted},
		`"total":7,"currentPage":1,"perPage":20,"data":[]`:                      {7, upstream.Uncounted},
		`"totalPages":0,"currentPage":1,"perPage":20,"data":[]`:                 {upstream.Uncounted, 0},
	} {
		page, err := upstream.DecodePage[upstream.Deposit]([]byte("{" + envelope + "}"))
		if err != nil || [2]int64{page.Total, page.TotalPages} != want {
			t.Errorf("%s: %+v, %v", envelope, page, err)
		}
	}
	const whole = `{"total":1,"totalPages":1,"currentPage":1,"perPage":20,"data":[]}`
	for _, member := range []string{`"currentPage":1,`, `"perPage":20,`, `,"data":[]`} {
		if _, err := upstream.DecodePage[upstream.Deposit]([]byte(strings.Replace(whole, member, "", 1))); err == nil {
			t.Errorf("a page without %s is accepted", member)
		}
	}
}

// TestListsAreBounded: a list with too many elements is rejected, in a page and within a record.
func TestListsAreBounded(t *testing.T) {
	list := func(n int) string { return "[" + strings.Repeat("5,", n-1) + "5]" }
	const page = `{"total":1,"totalPages":1,"currentPage":1,"perPage":1,"data":`
	if got, err := upstream.DecodePage[upstream.Deposit]([]byte(page + list(1000) + "}")); err != nil || len(got.Records) != 1000 {
		t.Errorf("1,000 records: %v", err)
	}
	if _, err := upstream.DecodePage[upstream.Deposit]([]byte(page + list(1001) + "}")); err == nil {
		t.Error("1,001 records are accepted")
	}
	d, err := upstream.Decode[upstream.Notification]([]byte(`{"tags":` + list(1001) + `,"hash":"kept"}`))
	must(t, err)
	_, err = upstream.Member(d, "tags", wire.Value.Elements)
	wantInvalid(t, err, "tags")
	if hash, err := upstream.Member(d, "hash", upstream.ReadText); err != nil || hash.String() != "kept" {
		t.Errorf("another field: %v", err)
	}
}
