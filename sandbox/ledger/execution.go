package ledger

import (
	"encoding/json"
	"strconv"
	"time"
)

// execution is an Execution of spec 2.5.
type execution struct {
	URL       string           `json:"url"`
	Headers   optional[object] `json:"headers,omitzero"`
	CreatedAt timestamp        `json:"createdAt"`
	Response  response         `json:"response"`
	UserID    string           `json:"userId"`
	StoreID   string           `json:"storeId"`
}

// response is a ResponseVo of spec 2.5.
type response struct {
	StatusCode   int         `json:"statusCode"`
	Body         any         `json:"body"`
	ResponseTime json.Number `json:"responseTime"`
}

// execution creates one delivery attempt, accepted by the destination or not.
func (d draw) execution(to *merchant, url, user string, at time.Time, taken bool) execution {
	r := response{StatusCode: pick(d, []int{200, 200, 201, 202, 204}), Body: d.answer()}
	if !taken {
		r.StatusCode = pick(d, []int{400, 404, 429, 500, 502, 503})
		if d.chance(40) {
			r.Body = "<html><body>502 Bad Gateway &copy;</body></html>"
		}
	}
	r.ResponseTime = json.Number(decimal(d.skewed(8, 9000)))
	if d.chance(10) {
		r.ResponseTime += ".25"
	}
	headers := object{
		{"content-type", "application/json; charset=utf-8"},
		{"x-signature", "sha256=" + d.hex(64)},
		{"user-agent", "dispatcher/1.0"},
	}
	return execution{
		URL: url, Headers: maybe(d, headers), CreatedAt: timestamp(at), Response: r, UserID: user, StoreID: to.storeID,
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
