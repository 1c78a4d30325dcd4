package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"pixgraph/internal/doctor"
	"pixgraph/internal/settings"
	"pixgraph/upstream/sandbox"
)

// The exit codes of `pixgraph doctor`.
const (
	exitOK     = 0
	exitFailed = 1 // a check failed
	exitUsage  = 2 // the settings or the arguments are invalid, so nothing was checked
)

const doctorUsage = `pixgraph doctor checks whether a gateway would work with its settings, which it reads from the same sources, and
prints the results. It prints no data of a record and no token.

  --token   a caller's token, or - to read it from the standard input; also ` + settings.TokenVariable + ` in the environment
  --json    print the report as JSON

Exit codes: 0 if no check failed, 1 if one failed, 2 if the settings are invalid.

`

// diagnose runs `pixgraph doctor` and returns the exit code.
func diagnose(ctx context.Context, p process) int {
	report, asJSON, err := examine(ctx, p)
	switch {
	case errors.Is(err, settings.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintln(p.stderr, "pixgraph doctor:", err)
		return exitUsage
	}
	write := report.WriteTable
	if asJSON {
		write = report.WriteJSON
	}
	if err := write(p.stdout); err != nil {
		fmt.Fprintln(p.stderr, "pixgraph doctor:", err)
		return exitFailed
	}
	if !report.Passed() {
		return exitFailed
	}
	return exitOK
}

// examine checks the services in the settings, or a sandbox.
func examine(ctx context.Context, p process) (report doctor.Report, asJSON bool, err error) {
	arguments, err := readDoctorArguments(p)
	if err != nil {
		return report, false, err
	}
	var help strings.Builder
	s, err := settings.Load(arguments.args, p.environ, &help)
	if errors.Is(err, settings.ErrHelp) {
		fmt.Fprint(p.stdout, doctorUsage, help.String())
	}
	if err != nil {
		return report, false, err
	}
	discarded := slog.New(slog.DiscardHandler)
	if s.Sandbox() {
		box, pointed, err := startSandbox(s, sandbox.Config{}, discarded)
		if err != nil {
			return report, false, err
		}
		defer box.Close()
		if s = pointed; arguments.token == "" {
			arguments.token = box.Token()
		}
	}
	authenticator, err := newAuthenticator(s, nil, discarded)
	if err != nil {
		return report, false, err
	}
	defer authenticator.Close()
	report, err = doctor.Run(ctx, doctor.Config{
		Settings: s, Authenticator: authenticator, Connect: newClient, Token: arguments.token,
	})
	return report, arguments.json, err
}

// doctorArguments are the doctor's own arguments; args are the rest, which are settings.
type doctorArguments struct {
	token string
	json  bool
	args  []string
}

// maxToken bounds what is read as a token, in bytes.
const maxToken = maxHeader

// readDoctorArguments separates the doctor's own arguments from settings. A flag overrides the environment, as for
// settings.
func readDoctorArguments(p process) (arguments doctorArguments, err error) {
	for _, line := range p.environ {
		if value, ok := strings.CutPrefix(line, settings.TokenVariable+"="); ok {
			arguments.token = value
		}
	}
	for args := p.args; len(args) > 0; args = args[1:] {
		name, value, given := strings.Cut(args[0], "=")
		switch isToken := name == "--token" || name == "-token"; {
		case args[0] == "--json" || args[0] == "-json":
			arguments.json = true
		case isToken && given:
			arguments.token = value
		case isToken && len(args) > 1:
			arguments.token, args = args[1], args[1:]
		case isToken:
			return arguments, errors.New("token: a value must follow the flag")
		default:
			arguments.args = append(arguments.args, args[0])
		}
	}
	if arguments.token == "-" {
		text, err := io.ReadAll(io.LimitReader(p.stdin, maxToken))
		if err != nil {
			return arguments, fmt.Errorf("token: the standard input cannot be read: %w", err)
		}
		if arguments.token = string(text); strings.TrimSpace(arguments.token) == "" {
			return arguments, errors.New("token: the standard input is empty")
		}
	}
	arguments.token = strings.TrimSpace(arguments.token)
	return arguments, nil
}
