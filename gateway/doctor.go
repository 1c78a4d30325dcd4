package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"pixgraph/gateway/doctor"
	"pixgraph/gateway/settings"
	"pixgraph/internal/httpserver"
)

const doctorHelp = `
It reads the same settings as a gateway from the same sources, makes the calls that a gateway makes, and prints the
results. It prints no data of a record and no token. The exit code is 0 if no check failed, 1 if one failed, and 2 if the
settings are invalid. "pixgraph help" lists the flags of the settings.
`

// doctorFlags are the doctor's own flags.
type doctorFlags struct{ token, privateCA, json, sandbox string }

func (f *doctorFlags) list() []settings.Flag {
	return []settings.Flag{
		{Name: "token", Type: "token|-", Value: &f.token,
			Help: "a caller's token, or - to read it from the standard input; also " + settings.TokenVariable + " in the environment"},
		{Name: "private_ca", Type: "file", Value: &f.privateCA, Help: "CAs in PEM that clients trust for tls_cert, in addition to those of this system"},
		{Name: "json", Help: "print the report as JSON", Value: &f.json},
		{Name: "sandbox", Help: "check a gateway over the sandbox", Value: &f.sandbox},
	}
}

// diagnose runs `pixgraph doctor` and returns the exit code: exitFailed if a check failed.
func diagnose(ctx context.Context, p Process) int {
	var flags doctorFlags
	report, err := examine(ctx, p, &flags)
	if err != nil {
		return fail(p, exitUsage, err)
	}
	write := report.WriteTable
	if flags.json != "" {
		write = report.WriteJSON
	}
	if err := write(p.Stdout); err != nil || !report.Passed() {
		return written(p, err) | exitFailed
	}
	return exitOK
}

// examine checks the services in the settings, or a sandbox if that is what the flag says.
func examine(ctx context.Context, p Process, flags *doctorFlags) (report doctor.Report, err error) {
	s, err := settings.Load(p.Args, p.Environ, flags.list()...)
	if err != nil {
		return report, err
	}
	s.Fit(p.Memory, p.OpenFiles)
	switch sandbox := flags.sandbox != ""; {
	case s.Sandbox() && !sandbox:
		return report, errors.New("core_url and dispatcher_url are not set, so there is nothing to check; --sandbox checks a gateway over the sandbox")
	case sandbox && !s.Sandbox():
		return report, errors.New("sandbox: core_url is set too; omit one of them")
	}
	token, err := readToken(flags.token, p)
	if err != nil {
		return report, err
	}
	discarded := slog.New(slog.DiscardHandler)
	if s.Sandbox() {
		box, pointed, err := startSandbox(s, p.sandbox(), discarded)
		if err != nil {
			return report, err
		}
		defer box.Close()
		if s = pointed; token == "" {
			token = box.Token()
		}
	}
	network, err := openNetwork(s, p.Sockets, discarded)
	if err != nil {
		return report, err
	}
	defer network.close()
	authenticator, err := network.newAuthenticator(s, nil, discarded)
	if err != nil {
		return report, err
	}
	defer authenticator.Close()
	return doctor.Run(ctx, doctor.Config{
		Settings: s, Authenticator: authenticator, Connect: network.newClient, Token: token, OpenFiles: p.OpenFiles, Memory: p.Memory,
		Core: network.core, Dispatcher: network.dispatcher, Issuer: network.issuer, Redis: network.redis, PrivateCA: flags.privateCA,
	})
}

// maxToken bounds what is read as a token, in bytes.
const maxToken = httpserver.MaxHeader

// readToken returns the token of the flag, else of the environment. If it is -, it is read from the standard input.
func readToken(token string, p Process) (string, error) {
	for _, line := range p.Environ {
		if name, value, _ := strings.Cut(line, "="); strings.EqualFold(name, settings.TokenVariable) && token == "" {
			token = value
		}
	}
	if token == "-" {
		text, err := io.ReadAll(io.LimitReader(p.Stdin, maxToken))
		if err != nil {
			return "", fmt.Errorf("token: the standard input cannot be read: %w", err)
		}
		if token = string(text); strings.TrimSpace(token) == "" {
			return "", errors.New("token: the standard input is empty")
		}
	}
	return strings.TrimSpace(token), nil
}
