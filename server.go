// Pixgraph is a GraphQL gateway over the two read-only REST APIs of a Pix payment service. Package gateway is the
// process; read gateway.Run next.
package main

import (
	"context"
	"io"
	stdlog "log"
	"os"
	"os/signal"
	"syscall"

	"pixgraph/gateway"
)

func main() {
	stdlog.SetOutput(io.Discard) // net/http prints unsolicited responses of APIs there
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process immediately
	// Files that changed are read without SIGHUP. Without a reader of its log, a gateway still serves.
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
	os.Exit(gateway.Run(ctx, gateway.ThisProcess()))
}
