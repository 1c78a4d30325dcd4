package settings

import (
	"fmt"
	"strings"
)

// fromFlags reads --key=value and --key value; dashes and underscores are the same in a key.
func fromFlags(args []string) (layer, error) {
	flags := layer{"the flags", map[string]string{}}
	for len(args) > 0 {
		name, isFlag := strings.CutPrefix(args[0], "-")
		if !isFlag {
			return layer{}, fmt.Errorf("%q: is not a flag; flags are --key=value", args[0])
		}
		key, value, hasValue := strings.Cut(strings.TrimPrefix(name, "-"), "=")
		key, args = strings.ReplaceAll(key, "-", "_"), args[1:]
		switch {
		case key == "help" || key == "h":
			return layer{}, ErrHelp
		case hasValue:
		case len(args) > 0:
			value, args = args[0], args[1:]
		default:
			return layer{}, fmt.Errorf("%s: a value must follow the flag", key)
		}
		flags.values[key] = value
	}
	return flags, nil
}
