package cors

import (
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"
)

// refusals logs why a browser does not let a page use the gateway, with the setting to change. A browser reports that
// only to the developer of the page. Anyone can send such requests, with any text, so the number of lines is bounded.
//
//   - Key: an origin, as it is shown, in the current interval.
//   - Bound: maxLines origins of maxShownOrigin bytes.
//   - Filled by: anyone, with requests of origins that are not allowed.
//   - Emptied by: the next interval.
type refusals struct {
	log *slog.Logger

	mu      sync.Mutex
	since   time.Time       // the begin of the interval
	logged  map[string]bool // origins of the interval
	omitted int             // lines of others since the last one that was logged
}

// The bounds of refusals. An operator who changes a setting sees the effect within a minute.
const (
	interval = time.Minute
	maxLines = 5
)

// add logs a request of a page whose origin is not allowed. The gateway's own page may use it without CORS.
func (l *refusals) add(r *http.Request, origin string) {
	if _, host, _ := strings.Cut(origin, "://"); host == r.Host || r.Header.Get("Sec-Fetch-Site") == "same-origin" {
		return
	}
	shown := shownOrigin(origin)
	if omitted, ok := l.admit(shown); ok {
		l.log.LogAttrs(r.Context(), slog.LevelWarn, "CORS: pages of this origin cannot use the gateway unless cors_origins has it",
			slog.String("origin", shown), slog.Int("linesOmitted", omitted))
	}
}

// admit reports whether a line about an origin may be logged: unless the current interval has it already, or maxLines
// others. It also returns how many lines were omitted before it.
func (l *refusals) admit(origin string) (omitted int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); l.logged == nil || now.Sub(l.since) >= interval {
		l.since, l.logged = now, map[string]bool{}
	}
	switch {
	case l.logged[origin]:
		return 0, false
	case len(l.logged) == maxLines:
		l.omitted++
		return 0, false
	}
	l.logged[origin] = true
	omitted, l.omitted = l.omitted, 0
	return omitted, true
}

// notShown replaces a text that may hold something else than the name of a site, such as personal data.
const notShown = "(not shown)"

var (
	// siteForm matches an origin whose host is a name with a top-level domain.
	siteForm   = regexp.MustCompile(`^https?://([a-z0-9_-]+\.)+[a-z][a-z0-9-]*(:[0-9]{1,5})?$`)
	manyDigits = regexp.MustCompile(`[0-9]{11}`)
)

// maxShownOrigin bounds an origin in the log, in bytes.
const maxShownOrigin = 128

// shownOrigin returns the text of an Origin header if it is null or the origin of a site, this machine or a private
// network.
func shownOrigin(origin string) string {
	if origin == "null" {
		return origin
	}
	if len(origin) > maxShownOrigin || manyDigits.MatchString(origin) || !siteForm.MatchString(origin) && !isLocal(origin) {
		return notShown
	}
	return origin
}

// isLocal reports whether an origin is on this machine or in a private network.
func isLocal(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || !originForm.MatchString(origin) {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && (ip.IsLoopback() || ip.IsPrivate())
}
