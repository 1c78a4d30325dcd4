#!/usr/bin/env bash
# Prints the events of a payment until the last one: live.sh URL ID STATUS. $TOKEN_COMMAND prints a token.
url=$1 id=$2 until=$3 since=null
query='subscription ($id: ID!, $until: [TransactionStatus!], $since: DateTime) {
  transaction(id: $id, until: $until, since: $since) { id status updatedAt } }'
events=$(mktemp) && trap 'rm -f "$events"' EXIT

until grep -q '^event: complete' "$events"; do
  # A stream that is silent for 40 seconds has lost its network.
  curl --no-buffer --silent --show-error --fail-with-body --retry 10 --retry-connrefused \
    --speed-limit 1 --speed-time "${SILENCE:-40}" \
    "$url" -H "Authorization: Bearer $($TOKEN_COMMAND)" -H 'Accept: text/event-stream' \
    --json "{\"query\":\"${query//$'\n'/}\",\"variables\":{\"id\":\"$id\",\"until\":[\"$until\"],\"since\":$since}}" | tee "$events"
  [ "${PIPESTATUS[0]}" -ne 22 ] || exit 1 # refused, such as for its token
  last=$(grep -o '"updatedAt":"[^"]*"' "$events" | tail -n 1) && since=${last#*:}
  sleep 1
done
