package settings

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
)

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
