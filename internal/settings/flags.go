package settings

import (
	"errors"
	"fmt"
	"strings"
)

// fromFlags reads --key=value and --key value. Dashes and underscores in a key are equivalent. A list flag that is
// repeated adds its values.
func fromFlags(args []string) (layer, error) {
	flags := layer{"the flags", map[string]string{}}
	for len(args) > 0 {
		name, isFlag := strings.CutPrefix(args[0], "-")
		name = strings.TrimPrefix(name, "-")
		if !isFlag || name == "" {
			return layer{}, errors.New("an argument is not a flag; flags are --key=value")
		}
		key, value, hasValue := strings.Cut(name, "=")
		key, args = strings.ReplaceAll(key, "-", "_"), args[1:]
		switch {
		case key == "help" || key == "h":
			return layer{}, ErrHelp
		case hasValue:
		case len(args) > 0 && !strings.HasPrefix(args[0], "-"):
			value, args = args[0], args[1:]
		default:
			return layer{}, fmt.Errorf("%s: a value must follow the flag", shown(key))
		}
		if before, again := flags.values[key]; again {
			if setting, _ := find(key); !setting.List {
				return layer{}, fmt.Errorf("%s: is in the flags twice", shown(key))
			}
			value = before + "," + value
		}
		flags.values[key] = value
	}
	return flags, nil
}
