package settings

import (
	"embed"
	"fmt"
	"io"
	"strings"
	"text/template"
)

// Command is a command of the binary, as --help and the completion in a shell show it.
type Command struct {
	Name, Help string
	Arguments  []string // one of them may follow
	Files      bool     // files may follow
	Flags      []Flag   // of its own
}

// Shells returns the shells for which there is a completion script.
func Shells() []string { return []string{"bash", "fish", "zsh"} }

//go:embed completion.bash completion.fish completion.zsh
var scripts embed.FS

// Complete writes the script with which a shell completes commands, flags, and values of flags.
func Complete(w io.Writer, shell string, commands []Command) error {
	script, err := template.New("completion."+shell).Funcs(template.FuncMap{
		"join":   func(words []string) string { return strings.Join(words, " ") },
		"dashed": func(key string) string { return strings.TrimPrefix(flagName(key), "--") },
		// plain texts in the single quotes of each shell
		"fish": strings.NewReplacer("`", "", `\`, `\\`, `'`, `\'`).Replace,
		"zsh":  strings.NewReplacer("`", "", `'`, `'\''`, `:`, `\:`, `[`, `\[`, `]`, `\]`).Replace,
	}).ParseFS(scripts, "completion."+shell)
	if err == nil {
		err = script.Execute(w, map[string]any{"Commands": commands, "Flags": settingFlags()})
	}
	if err != nil {
		return fmt.Errorf("completion: %w", err)
	}
	return nil
}
