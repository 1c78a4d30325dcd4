#!/bin/sh
# Varnish 7.1 (Debian 12) fails each response that its server ends with trailer fields: the body arrives, and then the
# connection breaks. Without trailers the same response is whole. A server should send trailers only to TE: trailers
# (RFC 9110, section 6.5.1).
set -e
varnishd -V 2>&1 | grep -o 'varnish-7\.1[^ ]*' || { echo 'install the package varnish of Debian 12'; exit 2; }
dir=$(mktemp -d)
trap 'kill $(cat "$dir"/*.pid) 2>/dev/null; rm -rf "$dir"' EXIT
cat > "$dir/server.mjs" <<'JS'
import { createServer } from 'node:http';
createServer((request, response) => {
  const trailer = request.url === '/trailer';
  response.writeHead(200, trailer ? { trailer: 'x-complete' } : {});
  response.write('a\nb\n');
  setTimeout(() => { // when Varnish has begun to send the body
    if (trailer) response.addTrailers({ 'x-complete': 'true' });
    response.end();
  }, 300);
}).listen(18931, '127.0.0.1', () => console.log('ready'));
JS
node "$dir/server.mjs" > "$dir/log" & echo $! > "$dir/server.pid"
printf 'vcl 4.0;\nbackend b { .host = "127.0.0.1"; .port = "18931"; }\nsub vcl_recv { return (pass); }\n' > "$dir/vcl"
varnishd -F -j none -f "$dir/vcl" -n "$dir/work" -a 127.0.0.1:18932 > "$dir/varnish.log" 2>&1 & echo $! > "$dir/varnish.pid"
until curl -s -o "$dir/plain" 127.0.0.1:18932/plain && [ "$(cat "$dir/plain")" = "$(printf 'a\nb')" ]; do sleep 0.2; done
code=0
curl -s -o "$dir/trailer" 127.0.0.1:18932/trailer || code=$?
echo "with a trailer: curl $code after $(wc -l < "$dir/trailer") lines"
[ "$code" -ne 0 ]
