package replica

import (
	"fmt"
	"regexp"
	"strings"

	"pixgraph/sandbox"
)

// Exercise makes a gateway over a sandbox report all that it can: successful operations, links, errors of the API,
// invalid records, unknown statuses, limits, refused tokens.
func (r *Replica) Exercise(box *Sandbox) {
	r.T.Helper()
	samples := box.Samples()
	token := box.Token()
	r.QueryAs(token, "query Page { deposits(perPage: 3) { totalCount nodes { id status payer { name document } } } }")
	const links = `query Links { a: transaction(id: %q) { id customer { name email { value } } notifications { nodes { transaction { id } } } } }`
	r.QueryAs(token, fmt.Sprintf(links, samples.Transaction))
	r.QueryAs(token, fmt.Sprintf(`{ transaction(id: %q) { id } }`, samples.UnknownTransaction))
	r.QueryAs(token, "query Deep { nothing }")
	r.QueryAs(token, "query Wide { "+strings.Repeat("a: __typename ", 320)+"}")
	r.QueryAs("not.a.token", "{ __typename }")
	for _, change := range []string{`"status":"NEVER_HEARD_OF"`, `"status":7`} {
		box.Inject(sandbox.Fault{Route: sandbox.RouteDeposit, Times: 1, Mutate: func(body []byte) []byte {
			return regexp.MustCompile(`"status":"[A-Z_]+","statusHistory"`).ReplaceAll(body, []byte(change+`,"statusHistory"`))
		}})
		r.QueryAs(token, "query Broken { deposits(perPage: 2) { nodes { status } } }")
	}
}
