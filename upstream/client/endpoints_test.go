package client_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// getID gets a record and returns its id.
type getID func(*testClient) (upstream.Text, error)

func idOf[R interface{ ID() (upstream.Text, error) }](record R, err error) (upstream.Text, error) {
	if err != nil {
		return nil, err
	}
	return record.ID()
}

func TestRecords(t *testing.T) {
	const (
		v4 = "7f1d3a52-90a4-4a0d-8a36-3d8f6a0b4c01"
		v7 = "019500a0-0000-7000-8000-000000000000"
	)
	long := strings.Repeat("a", 255)
	list := func(records string) string {
		return `{"total":1,"totalPages":1,"currentPage":1,"perPage":20,"data":[` + records + `]}`
	}
	const good = upstream.Kind(-1)
	transaction := func(id string) getID {
		return func(c *testClient) (upstream.Text, error) { return idOf(c.Transaction(context.Background(), id)) }
	}
	notification := func(id string) getID {
		return func(c *testClient) (upstream.Text, error) { return idOf(c.Notification(context.Background(), id)) }
	}
	withdrawal := func(id string) getID {
		return func(c *testClient) (upstream.Text, error) { return idOf(c.Withdrawal(context.Background(), id)) }
	}
	tests := []struct {
		name     string
		get      getID
		response string
		sent     string // "" for no call
		kind     upstream.Kind
	}{
		{"transaction", transaction(uuid), `{"id":"` + uuid + `"}`, "/transaction/" + uuid, good},
		{"transaction, id in another case", transaction(strings.ToUpper(uuid)), `{"id":"` + uuid + `"}`, "/transaction/" + strings.ToUpper(uuid), good},
		{"transaction, id of version 7", transaction(v7), `{"id":"` + v7 + `"}`, "/transaction/" + v7, good},
		{"transaction of another id", transaction(uuid), `{"id":"` + v4 + `"}`, "/transaction/" + uuid, upstream.KindInvalidResponse},
		{"transaction without id", transaction(uuid), `{"amount":1}`, "/transaction/" + uuid, upstream.KindInvalidResponse},
		{"transaction with a number as id", transaction(uuid), `{"id":1}`, "/transaction/" + uuid, upstream.KindInvalidResponse},
		{"transaction in an array", transaction(uuid), `[{"id":"` + uuid + `"}]`, "/transaction/" + uuid, upstream.KindInvalidResponse},
		{"transaction is null", transaction(uuid), `null`, "/transaction/" + uuid, upstream.KindInvalidResponse},
		{"transaction is empty", transaction(uuid), ``, "/transaction/" + uuid, upstream.KindInvalidResponse},
		{"transaction, id empty", transaction(""), ``, "", upstream.KindInvalidInput},
		{"transaction, id is not a UUID", transaction("1"), ``, "", upstream.KindInvalidInput},
		{"transaction, id in braces", transaction("{" + uuid + "}"), ``, "", upstream.KindInvalidInput},
		{"transaction, id as a URN", transaction("urn:uuid:" + uuid), ``, "", upstream.KindInvalidInput},
		{"transaction, id with a path", transaction(uuid + "/../x"), ``, "", upstream.KindInvalidInput},
		{"transaction, id with a line break", transaction(uuid + "\n"), ``, "", upstream.KindInvalidInput},

		{"notification", notification("ntf_01"), `{"id":"ntf_01"}`, "/request/ntf_01", good},
		{"notification of another id", notification("ntf_01"), `{"id":"ntf_02"}`, "/request/ntf_01", upstream.KindInvalidResponse},
		{"notification, long id", notification(long), `{"id":"` + long + `"}`, "/request/" + long, good},
		{"notification, id too long", notification(strings.Repeat("a", 1025)), ``, "", upstream.KindInvalidInput},
		{"notification, id empty", notification(""), ``, "", upstream.KindInvalidInput},

		{"withdrawal", withdrawal(v4), list(`{"id":"` + v4 + `"}`), "/withdrawal?id=" + v4, good},
		{"withdrawal among others", withdrawal(v4), list(`7,{"id":1},{"id":"x"},{"id":"` + strings.ToUpper(v4) + `"}`), "/withdrawal?id=" + v4, good},
		{"no withdrawal", withdrawal(v4), list(``), "/withdrawal?id=" + v4, upstream.KindNotFound},
		{"withdrawal of another id", withdrawal(v4), list(`{"id":"` + uuid + `"}`), "/withdrawal?id=" + v4, upstream.KindInvalidResponse},
		{"withdrawal is null", withdrawal(v4), list(`null`), "/withdrawal?id=" + v4, upstream.KindInvalidResponse},
		{"withdrawal, id of version 1", withdrawal("7f1d3a52-90a4-1a0d-8a36-3d8f6a0b4c01"), ``, "", upstream.KindInvalidInput},
		{"withdrawal, id empty", withdrawal(""), ``, "", upstream.KindInvalidInput},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			handler, seen := recordRequests(tt.response)
			id, err := tt.get(newClient(t, serve(t, handler).URL))
			if tt.kind != good {
				if upstream.KindOf(err) != tt.kind || err == nil {
					t.Errorf("error = %v, want kind %v", err, tt.kind)
				}
			} else if err != nil || id == nil {
				t.Errorf("id = %s, error = %v", id, err)
			}
			if tt.sent == "" {
				if len(seen) != 0 {
					t.Errorf("%s was sent", <-seen)
				}
			} else if got := <-seen; got != tt.sent {
				t.Errorf("sent %s, want %s", got, tt.sent)
			}
		})
	}
}

// TestServices: each service gets only its own calls.
func TestServices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, coreSeen := recordRequests(emptyPage)
		dispatcher, dispatcherSeen := recordRequests(`{"id":"ntf_01"}`)
		dispatcherURL := serve(t, dispatcher).URL
		c := newClient(t, serve(t, core).URL, func(c *config) { c.DispatcherURL = dispatcherURL })
		must(t, listDeposits(context.Background(), c))
		must(t, getNotification(context.Background(), c))
		if got := <-coreSeen; got != "/deposit" || len(coreSeen) != 0 {
			t.Errorf("core got %s and %d more", got, len(coreSeen))
		}
		if got := <-dispatcherSeen; got != "/request/ntf_01" || len(dispatcherSeen) != 0 {
			t.Errorf("dispatcher got %s and %d more", got, len(dispatcherSeen))
		}
	})
}

func TestNotificationIDsAreEscaped(t *testing.T) {
	tests := []struct{ id, path string }{
		{"a/b", "a%2Fb"}, {"/", "%2F"}, {"a?b=c", "a%3Fb=c"}, {"a#b", "a%23b"}, {"100%", "100%25"}, {"a%2Fb", "a%252Fb"},
		{"a;b", "a%3Bb"}, {"a,b", "a%2Cb"}, {"é", "%C3%A9"}, {"😀", "%F0%9F%98%80"}, {"a+b", "a+b"}, {"..a", "..a"},
		{"..a/b", "..a%2Fb"}, {`a\b`, "a%5Cb"}, {`"<>^{|}`, "%22%3C%3E%5E%7B%7C%7D"}, {"a:b@c&d=$e", "a:b@c&d=$e"}, {"%2e%2ea", "%252e%252ea"},
		{" ", "%20"}, {"a b", "a%20b"}, {" a ", "%20a%20"}, {"\u00a0", "%C2%A0"}, {"a\u2028b", "a%E2%80%A8b"}, {"a\u202eb", "a%E2%80%AEb"},
		{"\ufeffa", "%EF%BB%BFa"}, {"\u200b", "%E2%80%8B"}, {"...", "..."}, {". .", ".%20."}, {"\U000e0001", "%F3%A0%80%81"},
		{strings.Repeat("a", 1024), strings.Repeat("a", 1024)}, {strings.Repeat("é", 512), strings.Repeat("%C3%A9", 512)},
	}
	for _, tt := range tests {
		bubble(t, tt.id, func(t *testing.T) {
			if !upstream.ValidNotificationID(tt.id) {
				t.Fatal("is rejected")
			}
			type call struct{ uri, path string }
			seen := make(chan call, 1)
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				seen <- call{r.RequestURI, r.URL.Path}
				w.WriteHeader(http.StatusNotFound)
			})
			_, err := newClient(t, server.URL).Notification(context.Background(), tt.id)
			if upstream.KindOf(err) != upstream.KindNotFound {
				t.Fatal(err)
			}
			if got := <-seen; got.uri != "/request/"+tt.path || got.path != "/request/"+tt.id {
				t.Errorf("sent %s, that is %s", got.uri, got.path)
			}
		})
	}
}

// TestInvalidFilters: a filter that breaks rules makes no call, and the error has every violation.
func TestInvalidFilters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler, seen := recordRequests(emptyPage)
		c := newClient(t, serve(t, handler).URL)
		deposits := &upstream.DepositFilter{StartDate: new("yesterday"), MinAmount: new(upstream.Cents(0))}
		withdrawals := &upstream.WithdrawalFilter{ID: new("1"), Status: []upstream.WithdrawalStatus{}}
		_, depositErr := c.Deposits(context.Background(), deposits, client.PageRequest{})
		_, withdrawalErr := c.Withdrawals(context.Background(), withdrawals, client.PageRequest{})
		for _, tt := range []struct {
			name string
			err  error
			want []upstream.Violation
		}{
			{"deposits", depositErr, deposits.Violations()},
			{"withdrawals", withdrawalErr, withdrawals.Violations()},
		} {
			var invalid *upstream.InvalidInputError
			if !errors.As(tt.err, &invalid) || upstream.KindOf(tt.err) != upstream.KindInvalidInput {
				t.Fatalf("%s: error = %v, want invalid input", tt.name, tt.err)
			}
			if len(tt.want) != 2 || !slices.Equal(invalid.Violations, tt.want) {
				t.Errorf("%s: violations = %v, want the two of %v", tt.name, invalid.Violations, tt.want)
			}
			for _, v := range tt.want {
				if !strings.Contains(tt.err.Error(), v.Field+" "+v.Rule) {
					t.Errorf("%s: %q lacks the rule of %s", tt.name, tt.err, v.Field)
				}
			}
		}
		if len(seen) != 0 {
			t.Errorf("%s was sent", <-seen)
		}
	})
}

// TestFiltersAreSent: the query of a list is that of its filter.
func TestFiltersAreSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler, seen := recordRequests(emptyPage)
		c := newClient(t, serve(t, handler).URL)
		deposits := &upstream.DepositFilter{EndDate: new("2026-02-01T00:00:00+03:00"), Status: []upstream.DepositStatus{"PAID", "PENDING"}}
		if _, err := c.Deposits(context.Background(), deposits, client.PageRequest{}); err != nil {
			t.Fatal(err)
		}
		if got, want := <-seen, "/deposit?endDate=2026-02-01T00%3A00%3A00%2B03%3A00&status=PAID&status=PENDING"; got != want {
			t.Errorf("sent %s\nwant %s", got, want)
		}
		withdrawals := &upstream.WithdrawalFilter{ExternalCode: new("a&b=c d+é"), MinAmount: new(upstream.Cents(10))}
		if _, err := c.Withdrawals(context.Background(), withdrawals, client.PageRequest{}); err != nil {
			t.Fatal(err)
		}
		if got, want := <-seen, "/withdrawal?externalCode=a%26b%3Dc+d%2B%C3%A9&minAmount=10"; got != want {
			t.Errorf("sent %s\nwant %s", got, want)
		}
	})
}
