# Fetches a page by GET. If it is the same as the stored one, the response is a 304, and the file stays as it is.
set -eu
curl --silent --show-error --fail-with-body --output page.json --etag-compare page.etag --etag-save page.etag \
  --write-out '%{http_code}\n' --get --data-urlencode 'query={ deposits { nodes { id amount } } }' \
  --header "Authorization: Bearer $TOKEN" "$GATEWAY/graphql"
