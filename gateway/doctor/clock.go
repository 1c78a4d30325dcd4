package doctor

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"pixgraph/auth"
)

// clockWarning is a difference of clocks that NTP does not leave.
const clockWarning = 5 * time.Second

// clock compares the clock of this machine with the header Date of the servers that can be reached, which has whole
// seconds. A difference above auth.Leeway makes tokens invalid.
func (e *examination) clock() Check {
	var names []string
	var worst time.Duration
	var of string
	for _, c := range e.servers {
		if c.err != nil {
			continue
		}
		p, err := e.probe(c, asGateway)
		if err != nil || p.header.Get("Age") != "" { // a cache may have stored the header
			continue
		}
		date, err := http.ParseTime(p.header.Get("Date"))
		if err != nil {
			continue
		}
		names = append(names, c.name)
		if ahead := p.ahead(date); ahead.Abs() > worst.Abs() {
			worst, of = ahead, c.name
		}
	}
	if len(names) == 0 {
		return skipped("no server sent its time", "")
	}
	way := "ahead of"
	if worst < 0 {
		way = "behind"
	}
	detail := fmt.Sprintf("this machine is %s %s %s", worst.Abs().Round(time.Second), way, of)
	hint := "synchronize the clocks with NTP: a warning begins at " + clockWarning.String()
	verifies := e.Settings.Tokens.Mode == auth.ModeOIDC
	if verifies {
		hint += ", and above " + auth.Leeway.String() + " valid tokens are rejected"
	}
	switch {
	case verifies && worst.Abs() > auth.Leeway:
		return failed(detail, hint)
	case worst.Abs() >= clockWarning:
		return warned(detail, hint)
	default:
		return passed("it differs by less than " + clockWarning.String() + " from " + strings.Join(names, ", "))
	}
}

// ahead returns by how much this machine is at least ahead of a server, negative if it is behind. The server wrote its
// date at an unknown time between sending and receiving, and without the fraction of the second.
func (p probed) ahead(date time.Time) time.Duration {
	return max(p.sent.Sub(date)-time.Second, 0) + min(p.received.Sub(date), 0)
}
