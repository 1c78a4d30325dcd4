# Pixgraph. `make run` and `make test` do all the set-up they need.

.PHONY: run test check bench generate build

# Serves the gateway over its sandbox, with GraphiQL, a ready token and a curl line. ARGS="--listen=:8081" for more.
run:
	go run . $(ARGS)

build:
	go build -trimpath -o bin/pixgraph .

# Every test, with the race detector.
test:
	go vet ./...
	go test -race ./...

# The linters, built on first use from a module of their own.
check:
	go vet ./...
	go -C internal/lint run github.com/golangci/golangci-lint/v2/cmd/golangci-lint run --config ../../.golangci.yml ../../...

# What the parts cost: index, page, exchange, token.
bench:
	go test -run '^$$' -bench . -benchmem ./auth ./graph/... ./upstream

# Writes graph/generated and the shells of the resolvers anew from the schema.
generate:
	go run github.com/99designs/gqlgen generate
