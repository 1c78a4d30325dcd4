package ledger

import (
	"encoding/json"
	"strconv"
	"time"
)

// execution creates one delivery attempt (Execution of spec 2.5), accepted by the destination or not.
func (d draw) execution(to *merchant, url, user string, at time.Time, taken bool) object {
	status, body := pick(d, []int{200, 200, 201, 202, 204}), d.answer()
	if !taken {
		status = pick(d, []int{400, 404, 429, 500, 502, 503})
		if d.chance(40) {
			body = "<html><body>502 Bad Gateway &copy;</body></html>"
		}
	}
	took := json.Number(decimal(d.skewed(8, 9000)))
	if d.chance(10) {
		took += ".25"
	}
	headers := object{
		{"content-type", "application/json; charset=utf-8"},
		{"x-signature", "sha256=" + d.hex(64)},
		{"user-agent", "dispatcher/1.0"},
	}
	return object{
		{"url", url}, {"headers", d.maybe(headers)}, {"createdAt", timestamp(at)},
		{"response", object{{"statusCode", status}, {"body", body}, {"responseTime", took}}},
		{"userId", user}, {"storeId", to.storeID},
	}
}

// answer is the body of a destination's response, which may be any JSON.
func (d draw) answer() any {
	return pick(d, []any{
		object{{"received", true}, {"at", "loja"}}, object{{"received", true}}, object{}, "OK", "", "recebido ✔",
		json.Number("1"), json.Number("12345678901234567890"), []string{"ok"}, []any{}, nil, true,
	})
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
