#!/bin/sh
# go-redis 9.7.0 begins each connection with HELLO also when Protocol is 2, for servers before RESP3. Its fallback is for a
# server that answers with an error; a proxy that closes the connection there, such as twemproxy, cannot be used.
set -e
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
cd "$dir"
cat > go.mod <<'MOD'
module finding
go 1.24
MOD
cat > main.go <<'GO'
package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"

	"github.com/redis/go-redis/v9"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	first := make(chan string, 10)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			lines := bufio.NewScanner(conn)
			for i := 0; i < 3 && lines.Scan(); i++ { // *N, $5, the command
				if i == 2 {
					first <- lines.Text()
				}
			}
			_ = conn.Close()
		}
	}()
	client := redis.NewClient(&redis.Options{Addr: listener.Addr().String(), Protocol: 2, MaxRetries: -1})
	err = client.Ping(context.Background()).Err()
	command := <-first
	fmt.Println("first command:", command, "- PING:", err)
	if command != "hello" || err == nil {
		fmt.Println("the first command was not HELLO")
		os.Exit(1)
	}
}
GO
go get github.com/redis/go-redis/v9@v9.7.0 2>/dev/null
go run .
