package settings

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
)

func defaults() map[string]string {
	values := map[string]string{}
	for _, setting := range Table() {
		values[setting.Key] = setting.Default
	}
	return values
}

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

// fromYAML reads a file of keys, flat (core_url: …) or nested (core: {url: …}); a list is a YAML list or a text.
func fromYAML(text []byte) (layer, error) {
	var tree map[string]any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		return layer{}, errors.New("config: the file is not a YAML mapping")
	}
	file := layer{"the config file", map[string]string{}}
	return file, flatten(file.values, "", tree)
}

func flatten(into map[string]string, prefix string, tree map[string]any) error {
	for name, value := range tree {
		key := prefix + name
		if _, twice := into[key]; twice {
			return fmt.Errorf("%s: is in the config file twice", key)
		}
		switch value := value.(type) {
		case map[string]any:
			if err := flatten(into, key+"_", value); err != nil {
				return err
			}
		case []any:
			items := make([]string, len(value))
			for i, item := range value {
				items[i] = fmt.Sprint(item)
			}
			into[key] = strings.Join(items, ",")
		case nil:
			into[key] = ""
		default:
			into[key] = fmt.Sprint(value)
		}
	}
	return nil
}
