package settings

import (
	"fmt"
	"regexp"
	"strings"
)

// TokenVariable is the variable from which `pixgraph doctor` reads a caller's token. It is not a setting; a gateway
// ignores it.
const TokenVariable = Prefix + "TOKEN"

// fromEnvironment reads the variables with Prefix, except those that are not settings.
func fromEnvironment(environ []string) (layer, error) {
	env := layer{"the environment", map[string]string{}}
	known := keys()
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		rest, ours := strings.CutPrefix(name, Prefix)
		if !ours || strings.EqualFold(name, TokenVariable) || foreign(rest, value) {
			continue
		}
		key := strings.ToLower(rest)
		if !accepts(known, key) {
			if rest != key && rest != strings.ToUpper(rest) {
				key = hiddenName // a token with lower-case letters may look like a name
			}
			return layer{}, Unknown("variable", key, append(known, "token"), variableName)
		}
		if _, twice := env.values[key]; twice {
			return layer{}, fmt.Errorf("%s: is in the environment twice", key)
		}
		env.values[key] = value
	}
	return env, nil
}

// serviceLink matches the variables, without Prefix, that Kubernetes sets in every container for a Service named
// pixgraph ("Discovering services: environment variables"), such as PIXGRAPH_SERVICE_PORT_HTTP and
// PIXGRAPH_PORT_80_TCP_ADDR.
var serviceLink = regexp.MustCompile(`^(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

// foreign reports whether a variable has Prefix by coincidence; as an unknown setting it would prevent the start.
// Kubernetes sets PIXGRAPH_PORT to a URL. PIXGRAPH_PORT=8080 is not foreign: it probably means listen, so it is an
// error.
func foreign(rest, value string) bool {
	if rest == "PORT" && !strings.Contains(value, "://") {
		return false
	}
	return serviceLink.MatchString(rest)
}
