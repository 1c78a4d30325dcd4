package settings

import (
	"fmt"
	"regexp"
	"strings"
)

// TokenVariable is where `pixgraph doctor` looks for a caller's token. It is no setting: a gateway ignores it.
const TokenVariable = Prefix + "TOKEN"

// fromEnvironment reads the variables of our prefix, without those that are not settings.
func fromEnvironment(environ []string) (layer, error) {
	env := layer{"the environment", map[string]string{}}
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		rest, ours := strings.CutPrefix(name, Prefix)
		if !ours || name == TokenVariable || foreign(rest, value) {
			continue
		}
		key := strings.ToLower(rest)
		if _, known := find(key); !known && rest != key && rest != strings.ToUpper(rest) {
			key = hiddenName // in lower case a token might look like a name
		}
		if _, twice := env.values[key]; twice {
			return layer{}, fmt.Errorf("%s: is in the environment twice", shown(key))
		}
		env.values[key] = value
	}
	return env, nil
}

// conformance begins the variables of the sandbox's conformance suite, which may be set where a gateway runs too.
const conformance = "CONFORMANCE_"

// serviceLink is the rest of a variable that Kubernetes sets in every container beside a Service named pixgraph
// ("Discovering services: environment variables"), such as PIXGRAPH_SERVICE_PORT_HTTP and PIXGRAPH_PORT_80_TCP_ADDR.
var serviceLink = regexp.MustCompile(`^(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

// foreign reports whether a variable has our prefix by chance: it would be an unknown setting, and nothing would start.
// Kubernetes gives PIXGRAPH_PORT a URL; PIXGRAPH_PORT=8080 is somebody who means listen, and is told.
func foreign(rest, value string) bool {
	if rest == "PORT" && !strings.Contains(value, "://") {
		return false
	}
	return serviceLink.MatchString(rest) || strings.HasPrefix(rest, conformance)
}
