package settings

import (
	"net/netip"
	"strings"
)

// The kinds of settings with several values. As text, the values are separated by commas. An empty item is an error,
// because it is probably a mistake.

// listOf is a list setting whose items are parsed by read and formatted by write.
func listOf[T any](
	key, fallback, accepts, help string, field func(*Settings) *[]T, read func(string) (T, error), write func(T) string,
) Setting {
	return Setting{
		Key: key, Default: fallback, Accepts: accepts, Help: help, List: true,
		set: func(s *Settings, value string) error {
			*field(s) = nil
			if value == "" {
				return nil
			}
			for text := range strings.SplitSeq(value, ",") {
				text = strings.TrimSpace(text)
				if text == "" {
					return errValue
				}
				item, err := read(text)
				if err != nil {
					return err
				}
				*field(s) = append(*field(s), item)
			}
			return nil
		},
		get: func(s Settings) string {
			texts := make([]string, len(*field(&s)))
			for i, item := range *field(&s) {
				texts[i] = write(item)
			}
			return strings.Join(texts, ",")
		},
	}
}

func list(key, fallback, help string, field func(*Settings) *[]string) Setting {
	return listOf(key, fallback, "a list: values separated by commas", help, field,
		func(text string) (string, error) { return text, nil }, unchanged)
}

// unchanged formats an item that is a string.
func unchanged(item string) string { return item }

func networks(key, help string, field func(*Settings) *[]netip.Prefix) Setting {
	return listOf(key, "", "a list of networks such as 10.0.0.0/8, separated by commas", help, field,
		netip.ParsePrefix, netip.Prefix.String)
}
