package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestFigure(t *testing.T) {
	for _, tt := range []struct {
		name   string
		figure figure
		want   string
	}{
		{"met", figure{"RSS", 127.96, 128, "MiB"}, "streams|RSS|128 MiB|≤ 128 MiB|yes"},
		{"missed", figure{"reads", 1.25, 1.2, "/s"}, "streams|reads|1.25 /s|≤ 1.2 /s|**no**"},
		{"without a target", figure{"p50", 5, 0, "ms"}, "streams|p50|5 ms||"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(tt.figure.row("streams"), "|"); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestRecordsOfTokens: a token may read its record, and no other one that is watched.
func TestRecordsOfTokens(t *testing.T) {
	address := serve(t, newRecords(`{"id":"(id)","updatedAt":"(updatedAt)"}`, 2, []string{"a", "b", "c"}).ServeHTTP)
	c := newConnection(0, address)
	defer c.close()
	for _, tt := range []struct {
		token  string
		record int
		want   int
	}{
		{"a", 0, 200}, {"b", 1, 200}, {"c", 0, 200}, {"a", 1, 403}, {"a", 2, 200}, {"d", 0, 401},
	} {
		request := "GET /core/transaction/" + recordID(tt.record) + " HTTP/1.1\r\nHost: load\r\nAuthorization: Bearer " + tt.token + "\r\n\r\n"
		status, body, err := c.do(t.Context(), []byte(request))
		if err != nil || status != tt.want || status == 200 && !bytes.Contains(body, []byte(`"`+recordID(tt.record)+`"`)) {
			t.Errorf("record %d with token %s: status %d, %q, %v", tt.record, tt.token, status, body, err)
		}
	}
}
