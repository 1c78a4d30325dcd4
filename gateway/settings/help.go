package settings

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"
)

// fileType is the type of a setting that is a path.
const fileType = "file"

// settingFlags returns the flags of all settings, and of the YAML file's path.
func settingFlags() []Flag {
	list := []Flag{{Name: configKey, Type: fileType, Help: "YAML file of settings", group: "Settings"}}
	for _, s := range Table() {
		list = append(list, Flag{Name: s.Key, Type: s.Type, Help: s.Help, group: s.Group, fallback: s.Default})
	}
	return list
}

// Help writes the flags of all settings by group, or only the given ones.
func Help(w io.Writer, own ...Flag) error {
	if len(own) == 0 {
		own = settingFlags()
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	heading := ""
	for _, flag := range own {
		if flag.group != heading {
			heading = flag.group
			fmt.Fprintf(table, "\n%s:\n", heading)
		}
		help := strings.ReplaceAll(flag.Help, "`", "")
		if flag.fallback != "" {
			help += " (default " + flag.fallback + ")"
		}
		fmt.Fprintf(table, "  %s %s\t%s\n", flagName(flag.Name), flag.Type, help)
	}
	return table.Flush()
}

// Markdown returns the tables of docs/settings.md.
func Markdown() string {
	var b strings.Builder
	heading := ""
	for _, s := range Table() {
		if s.Group != heading {
			heading = s.Group
			fmt.Fprintf(&b, "\n## %s\n\n| setting | default | accepts | description |\n|---|---|---|---|\n", heading)
		}
		fallback := ""
		if s.Default != "" {
			fallback = "`" + s.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.Key, fallback, s.Accepts, s.Help)
	}
	return b.String()
}

// LogValue implements slog.LogValuer: it returns every setting by key. URLs with a user or password are
// rejected, and a Secret is hidden by the format of its kind.
func (s Settings) LogValue() slog.Value {
	var attrs []slog.Attr
	for _, setting := range s.table() {
		attrs = append(attrs, slog.String(setting.Key, setting.get()))
	}
	return slog.GroupValue(attrs...)
}
