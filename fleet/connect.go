package fleet

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/gomodule/redigo/redis"

	"pixgraph/internal/filewatch"
)

// open makes a connection to an address, with the user, the password and the database of the configuration. A Sentinel
// has no database, and knows the user default alone.
func (c Config) open(ctx context.Context, address string, toSentinel bool) (redis.Conn, error) {
	target, err := c.URL.Parse()
	if err != nil {
		return nil, err
	}
	password, err := c.password(target.password)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout())
	defer cancel()
	made, err := c.connect(ctx, address, target.TLS)
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { _ = made.Close() })()
	conn := redis.NewConn(&limited{Conn: made}, c.timeout(), c.timeout())
	if toSentinel {
		target.user, target.database = "", 0
	}
	if err := greet(conn, target.user, password, target.database); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// greet sends what a connection begins with. HELLO brings the name, for operators, without a permission of its own.
// Some proxies do not know it, nor users.
func greet(conn redis.Conn, user, password string, database int) error {
	var credentials []any
	if user != "" || password != "" {
		credentials = []any{"AUTH", cmp.Or(user, "default"), password}
	}
	hello := append([]any{2}, credentials...)
	_, err := conn.Do("HELLO", append(hello, "SETNAME", "pixgraph")...)
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
		return fmt.Errorf("%w: %w", ErrHello, err)
	}
	if err != nil && strings.HasPrefix(err.Error(), "ERR unknown command") {
		switch err = nil; {
		case user != "":
			_, err = conn.Do("AUTH", user, password)
		case password != "":
			_, err = conn.Do("AUTH", password)
		}
	}
	if err == nil && database != 0 {
		_, err = conn.Do("SELECT", database)
	}
	return err
}

// password is that of the file, or of the URL.
func (c Config) password(ofURL string) (string, error) {
	if c.PasswordFile == "" {
		return ofURL, nil
	}
	text, err := (&filewatch.File{Path: c.PasswordFile, Max: maxPassword, Secret: true}).Read()
	if err != nil {
		return "", fmt.Errorf("redis_password_file: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// errHandshake is that of TLS. A port without TLS waits for the rest of a command.
var errHandshake = errors.New("the TLS handshake was not complete")

// connect makes a connection, without a word of Redis.
func (c Config) connect(ctx context.Context, address string, withTLS bool) (net.Conn, error) {
	network, dial := "tcp", c.Dial
	if strings.HasPrefix(address, "/") {
		network, dial = "unix", new(net.Dialer).DialContext
	}
	conn, err := dial(ctx, network, address)
	if err != nil || !withTLS {
		return conn, err
	}
	config := c.TLS().Clone()
	config.ServerName, _, _ = net.SplitHostPort(address)
	secure := tls.Client(conn, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("%w: %w", errHandshake, err)
	}
	return secure, nil
}
