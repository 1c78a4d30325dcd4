package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// greeting is the response to the curl command that a gateway printed.
type greeting struct {
	Data struct {
		Deposits struct {
			TotalCount int
			Nodes      []struct{ ID, Status string }
		}
	}
	Errors []any
}

// tryGreeting sends the request of the curl command that `make run` prints.
func tryGreeting(t *testing.T, r *running) greeting {
	t.Helper()
	line := regexp.MustCompile(`curl -s (\S+) -H '([^:]+): ([^']+)' -H '([^:]+): ([^']+)' -d '([^']+)'`).FindStringSubmatch(r.stdout.String())
	if line == nil {
		t.Fatalf("no curl command in %q", r.stdout)
	}
	req, err := http.NewRequest(http.MethodPost, line[1], strings.NewReader(line[6]))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(line[2], line[3])
	req.Header.Set(line[4], line[5])
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer greeting
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// TestGreeting: the printed curl command works, and the pages exist.
func TestGreeting(t *testing.T) {
	r := launch(t)
	answer := tryGreeting(t, r)
	if deposits := answer.Data.Deposits; deposits.TotalCount < 2000 || len(deposits.Nodes) != 3 || deposits.Nodes[0].ID == "" || answer.Errors != nil {
		t.Errorf("the response to the curl command is %+v", answer)
	}
	if page := r.Get("/"); page.Status != http.StatusOK || !bytes.Contains(bytes.ToLower(page.Body), []byte("graphiql")) {
		t.Errorf("/ returned %d", page.Status)
	}
	if schema := r.Get("/schema.graphql"); schema.Status != http.StatusOK || !bytes.Contains(schema.Body, []byte("type Deposit ")) {
		t.Errorf("/schema.graphql returned %d", schema.Status)
	}
}

// TestSandboxSettings: the settings that apply to a sandbox take effect, and the printed curl command works.
func TestSandboxSettings(t *testing.T) {
	tests := []struct {
		name  string
		flags []string
		logs  []string // substrings of the startup log line
	}{
		{"none", nil, []string{`"auth_audience":"pixgraph-sandbox"`, `"paging_page_param":"page"`, `"paging_per_page_param":"perPage"`}},
		{"an audience", []string{"--auth-audience=mine"}, []string{`"auth_audience":"mine"`}},
		{"audiences", []string{"--auth-audience=mine,other"}, []string{`"auth_audience":"mine,other"`}},
		{"forward", []string{"--auth-mode=forward"}, []string{`"auth_mode":"forward"`, `"auth_issuer":""`}},
		{"paging names", []string{"--paging-page-param=p", "--paging-per-page-param=page[size]"},
			[]string{`"paging_page_param":"p"`, `"paging_per_page_param":"page[size]"`}},
		{"one paging name", []string{"--paging-per-page-param=limit"}, []string{`"paging_page_param":"page"`, `"paging_per_page_param":"limit"`}},
		{"another pointer", []string{"--links-metadata-pointer=/ids"}, []string{`"links_metadata_pointer":"/ids"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := launch(t, tt.flags...)
			if answer := tryGreeting(t, r); len(answer.Data.Deposits.Nodes) != 3 || answer.Errors != nil {
				t.Errorf("the response to the curl command is %+v", answer)
			}
			token := regexp.MustCompile(`Bearer ([^']+)`).FindStringSubmatch(r.stdout.String())[1]
			if body := r.QueryAs(token, "{ deposits(page: 2, perPage: 3) { currentPage } }").Body; string(body) != `{"data":{"deposits":{"currentPage":2}}}` {
				t.Errorf("page 2 is %s", body)
			}
			for _, text := range tt.logs {
				if !strings.Contains(r.stderr.String(), text) {
					t.Errorf("%s is not in %s", text, r.stderr)
				}
			}
		})
	}
}
