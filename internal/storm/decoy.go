package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// decoyRole is the argument that makes the binary a decoy: a server that refuses everything at once. To have a crowd
// hammer it, not the gateway, shows what of a storm is the machine's.
const decoyRole = "decoy"

// refusal is as long as the gateway's.
const refusal = `{"errors":[{"message":"the core API is not available at the moment","path":["transaction"],"locations":[{"line":1,"column":27}],` +
	`"extensions":{"code":"UPSTREAM_UNAVAILABLE","requestId":"2WLLKJRCN4SJT2ZTBLM2ZSDBSI","retryAfterMs":4321,"retryable":true,"service":"core"}}],"data":{"transaction":null}}`

// beDecoy serves on a free port, which it prints, until its input ends.
func beDecoy(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(stdout, listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	go func() { // ends with the process at the latest
		_, _ = io.Copy(io.Discard, stdin)
		_ = listener.Close()
	}()
	server := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, refusal)
	})}
	defer server.Close()
	if err := server.Serve(listener); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// startDecoy starts a decoy and returns its address.
func startDecoy(ctx context.Context) (*role, string, error) {
	r, err := startRole(ctx, decoyRole)
	if err != nil {
		return nil, "", err
	}
	line, err := bufio.NewReader(r.said).ReadString('\n')
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("the decoy did not serve: %w", err), r.stop())
	}
	return r, strings.TrimSpace(line), nil
}
