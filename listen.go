package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"

	"pixgraph/internal/settings"
)

// listen opens the public and the admin address. The error names each address that cannot be opened.
func listen(ctx context.Context, s settings.Settings) (public, admin net.Listener, err error) {
	public, noPublic := open(ctx, "listen", s.Listen)
	admin, noAdmin := open(ctx, "admin_listen", s.AdminListen)
	if err = errors.Join(noPublic, noAdmin); err != nil {
		for _, opened := range []net.Listener{public, admin} {
			if opened != nil {
				_ = opened.Close()
			}
		}
	}
	return public, admin, err
}

// open opens the address of a setting.
func open(ctx context.Context, setting, address string) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s: %s is in use, maybe by another gateway; set another address, such as --%s=%s",
			setting, address, strings.ReplaceAll(setting, "_", "-"), nextPort(address))
	case err != nil:
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	return listener, nil
}

// nextPort is the address with the next port.
func nextPort(address string) string {
	host, port, _ := net.SplitHostPort(address)
	number, _ := strconv.ParseUint(port, 10, 16) // settings accepts only numbers
	return net.JoinHostPort(host, strconv.Itoa(int(uint16(number)+1)))
}
