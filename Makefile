# Pixgraph. `make run` and `make test` do all the set-up they need.

web = graph/console/web
page = graph/console/dist/page/index.html

.PHONY: run build test test-packages test-reference test-clients chromium check differential fuzz bench soak outage storm generate

# Serves the gateway over its sandbox, with GraphiQL, a ready token and a curl line. ARGS="--listen=:8081" for more.
run: $(page)
	go run . $(ARGS)

# Writes the gateway's one binary, bin/pixgraph.
build: $(page)
	go build -trimpath -o bin/pixgraph .

# Every test. The three parts run at the same time, since much of each is waiting; what a part prints comes at its end. The
# long random runs are differential and fuzz, which CI makes too.
test: $(page) e2e/node_modules/.installed chromium
	go vet ./...
	npm --prefix graph/console/web test
	go build -o bin/pixgraph .
	$(MAKE) --jobs=3 --output-sync=target test-packages test-reference test-clients

# Go's tests with the race detector, and the corpus of each fuzz target.
test-packages:
	go test -race -timeout 30m -p 4 ./...

# The suite of graph without the fast path.
test-reference:
	go test -race -timeout 30m ./graph/pipeline -reference -skip FastPathIsTheReference

# The graphql-http audits, real clients, graphql-js and a real browser against the binary.
test-clients:
	npm --prefix e2e test

# The console's page, whenever its sources have changed. The binary embeds what is in graph/console/dist.
$(page): $(web)/node_modules/.installed $(wildcard $(web)/*.*) $(shell find $(web)/src -type f)
	npm --prefix $(web) run build

# What a Node project needs, once for each lock file.
%/node_modules/.installed: %/package-lock.json
	npm --prefix $* ci
	touch $@

# The browser that the tests of the console drive: Debian's, installed when root asks and there is none.
chromium:
	@e2e/console/install-chromium

# The linters, built on first use from a module of their own.
check:
	go vet ./...
	go build -C internal/lint -o ../../bin/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	bin/golangci-lint run ./...

# The gateway compared with two other implementations, at random; the seed is printed. First the fast path with gqlgen's own
# executor, for PAIRS pairs, and a tenth as many with the race detector, which takes ten times as long; then the operations of
# shared documents; then the binary with graphql-js, for DOCUMENTS documents. `make test` compares a few hundred of each.
PAIRS = 40000
DOCUMENTS = 20000
differential: $(page) e2e/node_modules/.installed
	go test -count=1 -v -timeout 60m -run '^TestFastPathIsTheReference$$' ./graph/pipeline -pairs $(PAIRS)
	go test -count=1 -v -timeout 60m -race -run '^TestFastPathIsTheReference$$' ./graph/pipeline -pairs $$(($(PAIRS) / 10))
	go test -count=1 -v -timeout 60m -race -run '^TestFastPathIsTheReferenceByOperation$$' ./graph/pipeline -documents 600
	go build -o bin/pixgraph .
	npm --prefix e2e run oracle -- --documents $(DOCUMENTS)

# Every fuzz target for FUZZTIME each: a time, or a number of inputs such as 1000x. `make test` gives each its corpus.
FUZZTIME = 30s
fuzz:
	go list -f '{{.Dir}} {{join .TestGoFiles " "}} {{join .XTestGoFiles " "}}' ./... | while read -r dir files; do \
		cd $$dir && grep -ho '^func Fuzz[A-Za-z0-9]*' $$files /dev/null | cut -d' ' -f2 | while read -r target; do \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x . || exit 1; \
		done || exit 1; \
	done

# What a request costs, next to a floor without GraphQL, a reverse proxy, and the gateway without its fast path: real
# processes, about five minutes. BENCH=-quick for a look, BENCH="-before OLD -gateway NEW" to compare two binaries. Then what
# the parts cost.
bench: $(page)
	go run ./internal/load bench $(BENCH)
	go test -run '^$$' -bench . -benchmem ./auth ./graph/... ./upstream/...

# A gateway under load and faults: fails when its memory, goroutines or file descriptors keep growing.
DURATION = 10m
soak: $(page)
	go run ./internal/load soak -duration $(DURATION)

# What clients see while the core hangs under 200 of them, and a small caller next to a greedy one: two minutes. Fails if a
# measured client is refused, never for a time. OUTAGE="-hang 18s" for another duration. Its former name is storm.
outage storm: $(page)
	go run ./internal/load outage $(OUTAGE) $(STORM)

# Writes graph/generated and the shells of the resolvers anew from the schema.
generate:
	go run github.com/99designs/gqlgen generate
