package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"pixgraph/gateway/settings"
	"pixgraph/gateway/telemetry"
)

// The exit codes of all commands.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2 // the settings or the arguments are invalid, so nothing was done
)

// invalidSettings is an error of runGateway that only a change of the settings can remove.
type invalidSettings struct{ error }

// command is a command of the binary, which the first argument selects. Without one, the binary serves.
type command struct {
	name, usage, help string // usage is what may follow the name
	more              string // a longer text for its help
	flags             []settings.Flag
	run               func(context.Context, Process) int
}

func commands() []command {
	return []command{
		{"doctor", " [flags]", "check whether a gateway would work with its settings", doctorHelp, new(doctorFlags).list(), diagnose},
		{"probe", " [flags]", "check whether the gateway of the settings is ready, for health checks", probeHelp, new(probeFlags).list(), probe},
		{"check", " [flags] FILE...", "check documents of clients against the schema and the limits", checkHelp, nil, checkDocuments},
		{"schema", " [flags]", "print the schema, as a gateway with its settings serves it", "", nil, printSchema},
		{"version", "", "print the version, the revision, the Go version and the platform", "", nil, printVersion},
		{"help", " [command]", "print the commands and the flags, or the help of a command", "", nil, help},
	}
}

// Run runs the command that the first argument names, or serves, and returns the exit code. A signal, with which ctx
// ends, ends a command at once.
func Run(ctx context.Context, p Process) int {
	var name string
	if len(p.Args) > 0 && p.Args[0] != "" && p.Args[0][0] != '-' {
		name, p.Args = p.Args[0], p.Args[1:]
	}
	has := func(flag string) bool { return slices.Contains(p.Args, flag) }
	switch {
	case has("--help") || has("-help") || has("-h"):
		p.Args = []string{name}
		return help(ctx, p)
	case name == "" && has("--version"):
		return printVersion(ctx, Process{Stdout: p.Stdout, Stderr: p.Stderr})
	case name == "":
		if err := runGateway(ctx, p); err != nil {
			if errors.As(err, &invalidSettings{}) {
				return fail(p, exitUsage, err)
			}
			return fail(p, exitFailed, err)
		}
		return exitOK
	}
	c, err := findCommand(name)
	if err != nil {
		return fail(p, exitUsage, err)
	}
	ended := make(chan int, 1)
	go func() { ended <- c.run(ctx, p) }()
	select {
	case code := <-ended:
		return code
	case <-ctx.Done(): // it may wait for the standard input
		return fail(p, exitFailed, errors.New(name+": interrupted"))
	}
}

// fail prints an error.
func fail(p Process, code int, err error) int {
	fmt.Fprintln(p.Stderr, "pixgraph:", err)
	return code
}

func findCommand(name string) (command, error) {
	names := []string{}
	for _, c := range commands() {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	return command{}, settings.Unknown("command", name, names, func(name string) string { return name })
}

// help prints the help of the command in the first argument, or that of the binary.
func help(_ context.Context, p Process) int {
	if len(p.Args) == 0 || p.Args[0] == "" {
		return written(p, writeHelp(p.Stdout))
	}
	c, err := findCommand(p.Args[0])
	if err == nil && len(p.Args) > 1 {
		err = errors.New("help: there is one argument, the command")
	}
	if err != nil {
		return fail(p, exitUsage, err)
	}
	fmt.Fprintf(p.Stdout, "pixgraph %s%s: %s\n", c.name, c.usage, c.help)
	fmt.Fprint(p.Stdout, c.more)
	if len(c.flags) > 0 {
		fmt.Fprintln(p.Stdout)
		err = settings.Help(p.Stdout, c.flags...)
	}
	return written(p, err)
}

// writeHelp writes the commands, and the flags of all settings.
func writeHelp(w io.Writer) error {
	fmt.Fprint(w, "pixgraph serves one GraphQL endpoint over the core and dispatcher APIs of a Pix payment service.\n\n")
	fmt.Fprintf(w, "  %-36s%s\n", "pixgraph [flags]", "serve; over a sandbox of made-up data if no API is set")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-36s%s\n", "pixgraph "+c.name+c.usage, c.help)
	}
	fmt.Fprintf(w, "\nA flag such as --core-url=URL can also be set as a variable, %sCORE_URL, or as core_url in the YAML file.\n"+
		"A flag overrides the variable, and a variable overrides the file. docs/settings.md has the values that each accepts.\n", settings.Prefix)
	return settings.Help(w)
}

func printVersion(_ context.Context, p Process) int {
	if len(p.Args) > 0 {
		return fail(p, exitUsage, fmt.Errorf("version: there are no arguments"))
	}
	b := telemetry.ReadBuild()
	_, err := fmt.Fprintf(p.Stdout, "pixgraph %s (revision %s, %s, %s/%s)\n", b.Version, b.Revision, b.Go, b.OS, b.Arch)
	return written(p, err)
}

// written returns the exit code of a command that wrote its output.
func written(p Process, err error) int {
	if err != nil {
		return fail(p, exitFailed, err)
	}
	return exitOK
}
