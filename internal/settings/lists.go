package settings

import (
	"net/netip"
	"strings"
)

// The kinds of settings that hold several values.

func list(key, fallback, help string, field func(*Settings) *[]string) Setting {
	return Setting{
		Key: key, Default: fallback, Takes: "a list: values separated by commas", Help: help,
		set: func(s *Settings, value string) error {
			var values []string
			for item := range strings.SplitSeq(value, ",") {
				if item = strings.TrimSpace(item); item != "" {
					values = append(values, item)
				}
			}
			*field(s) = values
			return nil
		},
		get: func(s Settings) string { return strings.Join(*field(&s), ",") },
	}
}

func networks(key, help string, field func(*Settings) *[]netip.Prefix) Setting {
	return Setting{
		Key: key, Default: "", Takes: "a list of networks such as 10.0.0.0/8, separated by commas", Help: help,
		set: func(s *Settings, value string) error {
			var prefixes []netip.Prefix
			for item := range strings.SplitSeq(value, ",") {
				if item = strings.TrimSpace(item); item == "" {
					continue
				}
				prefix, err := netip.ParsePrefix(item)
				if err != nil {
					return errValue
				}
				prefixes = append(prefixes, prefix)
			}
			*field(s) = prefixes
			return nil
		},
		get: func(s Settings) string {
			texts := make([]string, len(*field(&s)))
			for i, prefix := range *field(&s) {
				texts[i] = prefix.String()
			}
			return strings.Join(texts, ",")
		},
	}
}
