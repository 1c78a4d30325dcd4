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
	context.AfterFunc(ctx, stop)  // a second signal ends the process immediately
	signal.Ignore(syscall.SIGHUP) // files that changed are read without it
	os.Exit(gateway.Run(ctx, gateway.ThisProcess()))
}
