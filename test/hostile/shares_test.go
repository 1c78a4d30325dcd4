package hostile

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// owing has a caller whose operation costs twelve times the burst of its rate: what exceeds the burst is owed.
func owing(t *testing.T, shared *gateway) {
	g := newGateway(t, shared.binary, "--rate-identity=1", "--rate-identity-burst=20")
	ids := strings.Repeat(`,"<transaction>"`, 25)
	large := operation("query ($ids: [ID!]!) {"+times(10, "a%d: transactions(ids: $ids) { __typename } ")+"}", `{"ids":[`+ids[1:]+"]}")
	g.wantRow(t, row{send: large, status: 200})
	g.wantRow(t, row{send: large, status: 429, code: "RATE_LIMITED"})
	wait := post(good)(t, g).header.Get("Retry-After")
	if seconds, _ := strconv.Atoi(wait); seconds < 200 {
		t.Errorf("Retry-After: %s", wait)
	}
	g.wantRow(t, row{send: post(good, "Authorization: Bearer "+g.caller("bystander")), status: 200})
	g.wantCleanEnd(t)
}

// filling has a caller who registers as many documents as there is room for, and more: those of others stay.
func filling(t *testing.T, g *gateway) {
	const document = "{ deposits { currentPage } }"
	as := "Authorization: Bearer " + g.caller("bystander")
	g.wantRow(t, row{send: named(document, hashOf(document), as), status: 200})
	for i := range 300 {
		other := fmt.Sprintf("{ deposits { totalCount } } #%d%s", i, strings.Repeat(" ", 32_000))
		g.wantRow(t, row{send: named(other, hashOf(other)), status: 200})
	}
	g.wantRow(t, row{send: named("", hashOf(document), as), status: 200})
}
