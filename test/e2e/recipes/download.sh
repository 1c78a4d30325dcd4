# Stores all deposits in deposits.csv, and fails if the file is not the whole list.
set -eu
curl --silent --show-error --fail-with-body --output deposits.csv --dump-header deposits.headers \
  --header "Authorization: Bearer $TOKEN" --header 'Content-Type: application/json' --header 'Accept: text/csv; bom=1' \
  --header 'TE: trailers' \
  --data '{"query": "{ deposits { nodes { id amount createdAt payer { name } } } }"}' \
  "$GATEWAY/graphql"
grep -i '^x-pixgraph-complete: true' deposits.headers
