#!/bin/sh
# HAProxy 2.6 (Debian 12) gives clients of HTTP/2 a whole response where its server of HTTP/1.1 broke the connection within
# a chunked body. For clients of HTTP/1.1 it breaks, too.
set -e
haproxy -v | grep -o 'version 2\.6\.[0-9]*' || { echo 'install the package haproxy of Debian 12'; exit 2; }
dir=$(mktemp -d)
trap 'kill $(cat "$dir"/*.pid) 2>/dev/null; rm -rf "$dir"' EXIT
cat > "$dir/server.mjs" <<'JS'
import { createServer } from 'node:http';
createServer((request, response) => {
  response.write('a\n');
  setTimeout(() => response.write('b\n', () => response.socket.destroy()), 200); // before the last chunk
}).listen(18941, '127.0.0.1');
JS
node "$dir/server.mjs" & echo $! > "$dir/server.pid"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout "$dir/key" -out "$dir/cert" 2>/dev/null
cat "$dir/cert" "$dir/key" > "$dir/pem"
cat > "$dir/cfg" <<CFG
defaults
    mode http
    timeout connect 1s
    timeout client 10s
    timeout server 10s
frontend f
    bind 127.0.0.1:18942 ssl crt $dir/pem alpn h2,http/1.1
    default_backend b
backend b
    server s 127.0.0.1:18941
CFG
haproxy -db -f "$dir/cfg" > "$dir/log" 2>&1 & echo $! > "$dir/haproxy.pid"
fetch() { code=0; curl -sk "$1" -o "$dir/body" https://127.0.0.1:18942/ || code=$?; echo "$1: curl $code after $(wc -l < "$dir/body") lines"; }
until curl -sk -o /dev/null https://127.0.0.1:18942/ || [ $? -ne 7 ]; do sleep 0.2; done
fetch --http1.1
[ "$code" -ne 0 ]
fetch --http2
[ "$code" -eq 0 ]
