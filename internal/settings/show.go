package settings

import (
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"text/tabwriter"
)

// Usage is the text for --help.
func Usage() string {
	var b strings.Builder
	b.WriteString("pixgraph serves one GraphQL endpoint over the core and dispatcher APIs of a Pix payment service.\n\n" +
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

// LogValue implements slog.LogValuer: every setting by its key, what could be a secret masked.
func (s Settings) LogValue() slog.Value {
	var attrs []slog.Attr
	for _, setting := range Table() {
		attrs = append(attrs, slog.String(setting.Key, masked(setting.get(s))))
	}
	return slog.GroupValue(attrs...)
}

// masked hides the password of a URL. No other setting holds a secret.
func masked(value string) string {
	if u, err := url.Parse(value); err == nil && u.User != nil {
		return u.Redacted()
	}
	return value
}
