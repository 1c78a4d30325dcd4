package settings

import (
	"fmt"
	"log/slog"
	"strings"
	"text/tabwriter"
)

// Usage is the text for --help.
func Usage() string {
	var b strings.Builder
	b.WriteString("pixgraph serves one GraphQL endpoint over the core and dispatcher APIs of a Pix payment service.\n" +
		"pixgraph doctor, with the same settings, looks into whether it would work.\n\n" +
		"Settings: defaults < YAML file (--config) < environment (" + Prefix + "KEY) < flags (--key=value).\n\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, s := range Table() {
		fmt.Fprintf(w, "  --%s\t%s\t%s (takes %s)\n", strings.ReplaceAll(s.Key, "_", "-"), s.Default, s.Help, s.Takes)
	}
	_ = w.Flush()
	return b.String()
}

// Markdown is the table of the README.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| setting | default | takes | what it is for |\n|---|---|---|---|\n")
	for _, s := range Table() {
		fallback := ""
		if s.Default != "" {
			fallback = "`" + s.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.Key, fallback, s.Takes, s.Help)
	}
	return b.String()
}

// LogValue implements slog.LogValuer: every setting by its key. None of them holds a secret: URLs are refused with a user
// and a password. One that does hides it in its get.
func (s Settings) LogValue() slog.Value {
	var attrs []slog.Attr
	for _, setting := range Table() {
		attrs = append(attrs, slog.String(setting.Key, setting.get(s)))
	}
	return slog.GroupValue(attrs...)
}
