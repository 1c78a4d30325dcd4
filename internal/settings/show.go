package settings

import (
	"fmt"
	"log/slog"
	"strings"
	"text/tabwriter"
)

// Usage returns the text for --help.
func Usage() string {
	var b strings.Builder
	b.WriteString("pixgraph serves one GraphQL endpoint over the core and dispatcher APIs of a Pix payment service.\n" +
		"pixgraph doctor, with the same settings, checks whether the gateway would work.\n\n" +
		"Settings: defaults < YAML file (--config) < environment (" + Prefix + "KEY) < flags (--key=value).\n\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, s := range Table() {
		fmt.Fprintf(w, "  --%s\t%s\t%s (accepts %s)\n", strings.ReplaceAll(s.Key, "_", "-"), s.Default, s.Help, s.Accepts)
	}
	_ = w.Flush()
	return b.String()
}

// Markdown returns the table of settings in README.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| setting | default | accepts | description |\n|---|---|---|---|\n")
	for _, s := range Table() {
		fallback := ""
		if s.Default != "" {
			fallback = "`" + s.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.Key, fallback, s.Accepts, s.Help)
	}
	return b.String()
}

// LogValue implements slog.LogValuer: it returns every setting by key. No setting holds a secret, since URLs with a
// user or password are rejected. A setting with a secret would have to hide it in its get function.
func (s Settings) LogValue() slog.Value {
	var attrs []slog.Attr
	for _, setting := range Table() {
		attrs = append(attrs, slog.String(setting.Key, setting.get(s)))
	}
	return slog.GroupValue(attrs...)
}
