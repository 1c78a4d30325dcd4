package settings

import (
	"fmt"
	"strings"
)

// Flag is a flag of a command line.
type Flag struct {
	Name  string // with underscores
	Type  string // of its value; "" for a switch, which has no value
	Help  string
	Value *string // receives the value, "on" for a switch; nil for the flag of a setting

	group, fallback string // heading and default of a setting
}

// fromFlags reads --key=value and --key value. Dashes and underscores in a key are equivalent. A list flag that is
// repeated adds its values. The values of the command's own flags are not in the layer. Operands are the arguments that
// are not flags, among them -, and all after --.
func fromFlags(args []string, own []Flag) (values layer, operands []string, err error) {
	flags := layer{"the flags", map[string]string{}}
	known, switches := keys(), map[string]bool{}
	for _, flag := range own {
		known, switches[flag.Name] = append(known, flag.Name), flag.Type == ""
	}
	for len(args) > 0 {
		if args[0] == "--" {
			operands = append(operands, args[1:]...)
			break
		}
		if args[0] == "-" || !strings.HasPrefix(args[0], "-") {
			operands, args = append(operands, args[0]), args[1:]
			continue
		}
		name := strings.TrimPrefix(strings.TrimPrefix(args[0], "-"), "-")
		key, value, hasValue := strings.Cut(name, "=")
		key, args = strings.ReplaceAll(key, "-", "_"), args[1:]
		switch {
		case !accepts(known, key):
			return layer{}, nil, Unknown("flag", key, known, flagName)
		case switches[key] && hasValue:
			return layer{}, nil, fmt.Errorf("%s: the flag has no value", key)
		case switches[key]:
			value = "on"
		case hasValue:
		case len(args) > 0 && (args[0] == "-" || !strings.HasPrefix(args[0], "-")): // - alone is the standard input
			value, args = args[0], args[1:]
		default:
			return layer{}, nil, fmt.Errorf("%s: a value must follow the flag", key)
		}
		if before, again := flags.values[key]; again {
			if setting, _ := find(key); !setting.List {
				return layer{}, nil, fmt.Errorf("%s: is in the flags twice", key)
			}
			value = before + "," + value
		}
		flags.values[key] = value
	}
	for _, flag := range own {
		if value, given := flags.values[flag.Name]; given {
			*flag.Value = value
			delete(flags.values, flag.Name)
		}
	}
	return flags, operands, nil
}
