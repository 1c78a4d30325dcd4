package settings

import "strings"

// fromEnvironment reads the variables of our prefix.
func fromEnvironment(environ []string) (layer, error) {
	env := layer{"the environment", map[string]string{}}
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		if key, ours := strings.CutPrefix(name, Prefix); ours {
			env.values[strings.ToLower(key)] = value
		}
	}
	return env, nil
}
