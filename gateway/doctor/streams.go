package doctor

import (
	"fmt"
	"time"

	"pixgraph/upstream/client"
	"pixgraph/upstream/live"
)

const streams, readStream = "streams", "read for a stream"

// minDistinct is the number of different characters below which a secret is easy to guess.
const minDistinct = 8

// streamSettings checks the settings of streams that contradict others.
func (e *examination) streamSettings() Check {
	s := e.Settings
	if !s.Live {
		return skipped("live is off", "")
	}
	before := len(e.report.Checks)
	slowest := 1 / s.Streams.Interval.Seconds() // reads per second of one record that may change at any moment
	for _, rate := range []struct {
		name      string
		perSecond float64
	}{{"rate_identity", s.Limits.Rate.PerIdentity.PerSecond}, {"rate_address", s.Limits.Rate.PerAddress.PerSecond}} {
		if rate.perSecond > 0 && rate.perSecond < slowest {
			e.report.add(streams, warned(fmt.Sprintf("%s allows fewer reads than one record needs at live_interval=%s", rate.name, s.Streams.Interval),
				"raise it, or live_interval: streams pay for their reads, and are slower without credit"))
		}
	}
	if float64(s.Streams.Polls) < slowest {
		e.report.add(streams, warned(fmt.Sprintf("live_polls=%d is less than one record needs at live_interval=%s", s.Streams.Polls, s.Streams.Interval),
			"raise live_polls, or live_interval"))
	}
	if distinct := distinctBytes(string(s.LiveNudgeSecret)); distinct > 0 && distinct < minDistinct {
		e.report.add(streams, warned("live_nudge_secret is easy to guess", "generate it, such as with: openssl rand -hex 24"))
	}
	if len(e.report.Checks) > before {
		return Check{}
	}
	return passed(fmt.Sprintf("%d streams; %d records at a time are read every %s, more at longer intervals",
		s.Streams.Streams, int(float64(s.Streams.Polls)*s.Streams.Interval.Seconds()), s.Streams.Interval))
}

func distinctBytes(text string) int {
	seen := map[byte]struct{}{}
	for i := range len(text) {
		seen[text[i]] = struct{}{}
	}
	return len(seen)
}

// poll makes a read as streams do.
func (e *examination) poll() Check {
	token := live.Token{Bearer: e.identity.Bearer(), Caller: e.identity.Caller()}
	began := time.Now()
	page := live.Page((*client.Session).Deposits, nil, client.PageRequest{})
	reading, err := live.FromClient(e.apis, nil).Read(e.ctx, token, page, false, nil)
	if err != nil {
		return e.failedCall(err)
	}
	reading.Release()
	took := max(time.Since(began), time.Millisecond)
	return passed(fmt.Sprintf("%d ms: at most %.0f reads per second, of live_polls=%d",
		took.Milliseconds(), live.DefaultWorkers/took.Seconds(), e.Settings.Streams.Polls))
}
