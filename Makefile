# Pixgraph. Each target installs what it needs. CONTRIBUTING.md says which one to use when.

web = web/pages
page = web/dist/page/index.html
client = clients/js/dist/index.js
packed = test/e2e/node_modules/pixgraph-client/package.json

# The flags of go build and go test, which are the same, so that each package is compiled once. The binary is static, and
# without information for debuggers (DWARF), which stack traces and profiles do not need and a fifth of the time to
# compile goes to. grpcnotrace: see docs/decisions/deployment.md.
export CGO_ENABLED = 0
export GOFLAGS = -trimpath -tags=grpcnotrace -gcflags=all=-dwarf=false -ldflags=-w

# The compiler collects no garbage below half a gigabyte in a process: a twentieth less processor time. Only for
# builds, because tests would inherit it.
compile = GOGC=off GOMEMLIMIT=512MiB go build

# What a failed command has written is not taken for done.
.DELETE_ON_ERROR:

.PHONY: run build packages quick test steady verify verify-short test-packages test-race test-processes test-load \
	test-clients test-e2e test-deploy test-release programs proxies check differential fuzz load bench download soak outage shares \
	fleet streams mutate generate release image release-page

# Runs the gateway over its sandbox, and prints commands for a token and a first query. ARGS adds flags, such as those
# of a second gateway: ARGS="--listen=127.0.0.1:8081 --admin-listen=127.0.0.1:9091".
run: build
	@bin/pixgraph $(ARGS)

# Builds the binary, bin/pixgraph. Only its last packages wait for the page.
build:
	@$(MAKE) --no-print-directory --jobs=2 $(page) packages
	$(compile) -o bin/pixgraph .

# The packages below the page.
packages:
	@$(compile) $$(go list -f '{{join .Imports "\n"}}' ./gateway | grep '^pixgraph/' | grep -v /web$$)

# What one runs many times a day, in less than a minute with warm caches: the tests of Go that run no process, and of
# the page's logic.
quick: $(page)
	go vet ./...
	packages=$$(go list ./...) && go test -vet=off $$(echo "$$packages" | grep -vE '/test/(alerts|binary|generated|hostile|redis)$$')
	npm --prefix web/pages test

# What a change can break, in minutes, without a C compiler: the tests of Go, with a short pass of those that run
# processes, of the page, and of clients of the binary.
test:
	@$(MAKE) --no-print-directory --jobs=4 $(page) packages $(packed) programs
	$(compile) -o bin/pixgraph .
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target test-packages test-clients

# Runs the tests of make test again and again with other seeds, orders and numbers of threads, half of the runs next to
# eight busy loops, and ends at the first that fails.
RUNS = 40
steady: build $(packed) programs
	test/steady $(RUNS)

# Everything else, for CI: the race detector, attacks on the binary, rolling updates, the page on every screen, what is
# released and deployed, and random input, always the same, so that a change is refused for its own faults only. New input
# is for make differential. It needs a C compiler.
verify: $(page) test/e2e/node_modules/.installed programs proxies
	$(MAKE) $(packed)
	$(compile) -o bin/pixgraph .
	$(MAKE) --jobs=3 --output-sync=target check test-race test-e2e test-processes test-load test-deploy test-release
	$(MAKE) differential fuzz SEED=1

# The short form of make verify, about five minutes with warm caches: the race detector without the gateway as a whole, the
# tests of Go that run processes but attacks, and some random input.
verify-short: $(page) programs proxies
	go vet ./...
	packages=$$(go list ./...) && CGO_ENABLED=1 go test -race -short $$(echo "$$packages" | grep -vE '^pixgraph(/gateway|/test|$$)')
	packages=$$(go list ./test/...) && go test $(uncached) $$(echo "$$packages" | grep -v /hostile)
	go test -count=1 -run '^TestGeneratedQueries$$' ./serve -generated 4000

# What tests of processes and of the tools need. go test knows what they compile and read below their module. Not so the
# binary that they build and deploy/: without this flag it repeats results from its cache although these have changed.
uncached = -count=1

# GOTEST adds flags, as test/steady does.
test-packages:
	packages=$$(go list ./...) && go test -vet=off -short $(GOTEST) $$(echo "$$packages" | grep -vE '/test/(binary|generated|hostile)$$')
	go test $(uncached) -vet=off -short $(GOTEST) ./test/binary

# The tests of Go with the race detector.
test-race:
	packages=$$(go list ./...) && CGO_ENABLED=1 go test -race -timeout 30m $$(echo "$$packages" | grep -v /test/)

# Those that run processes, which mostly wait.
test-processes:
	CGO_ENABLED=1 go test $(uncached) -race -timeout 30m ./test/...

# A short run of each command of the load tool.
test-load:
	go test -C tools/load $(uncached) ./...

# Tests of the page and of the npm package for front ends without a gateway, and of what a user of the binary sees first.
test-clients: $(client)
	npm --prefix web/pages test
	npm --prefix clients/js --ignore-scripts test
	npm --prefix test/e2e run short

# Tests of the binary: graphql-http audits, GraphQL clients, graphql-js, the page on every screen and applications in
# Chromium.
test-e2e:
	npm --prefix test/e2e test

# Tests of deploy/ with the libraries of Helm, Kubernetes and Docker Compose, which the module tools/deploy has.
test-deploy:
	go test -C tools/deploy $(uncached) ./...

# Tests of what a release consists of: two clones give the same bytes, and the image runs in a root file system of its
# own.
test-release:
	go test -C tools/release $(uncached) -timeout 30m ./...

# GraphiQL and Payments, rebuilt if their sources changed. The binary embeds web/dist.
$(page): $(web)/node_modules/.installed $(wildcard $(web)/*.*) $(shell find $(web)/src -type f) $(wildcard clients/js/src/*.ts)
	npm --prefix $(web) run build

# The npm package for front ends.
$(client): clients/js/node_modules/.installed $(addprefix clients/js/,package.json tsconfig.json) $(wildcard clients/js/src/*.ts)
	npm --prefix clients/js run build

# The same package in the dependencies of its tests, as npm would install it.
$(packed): $(client) test/e2e/node_modules/.short
	rm -rf $(@D) && mkdir $(@D)
	rm -f clients/js/pixgraph-client-*.tgz
	cd clients/js && npm pack --silent --ignore-scripts
	tar -xzf clients/js/pixgraph-client-*.tgz -C $(@D) --strip-components=1 && rm clients/js/pixgraph-client-*.tgz
	touch $@

# What the short pass of test/e2e depends on. The whole run depends on the rest too.
test/e2e/node_modules/.short: test/e2e/package-lock.json
	npm --prefix test/e2e ci --omit=dev
	touch $@

test/e2e/node_modules/.installed: test/e2e/package-lock.json
	npm --prefix test/e2e ci
	touch $@ $(@D)/.short

# The dependencies of a Node project, installed again if its lock file changed.
%/node_modules/.installed: %/package-lock.json
	npm --prefix $* ci
	touch $@

# Programs that tests run, installed from Debian's packages if they are missing and the user is root.
programs:
	@test/install chromium promtool redis-server

proxies: | programs
	@test/install haproxy nginx apache2 caddy h2o lighttpd nutcracker varnishd

# golangci-lint, which is built from the module tools/lint, and go vet on the other systems that releases are for.
check:
	for platform in darwin/arm64 windows/amd64; do \
		GOOS=$${platform%/*} GOARCH=$${platform#*/} go vet ./... || exit 1; \
	done
	go build -C tools/lint -o ../../bin/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	bin/golangci-lint run ./...
	for tool in load release deploy mutate; do (cd tools/$$tool && ../../bin/golangci-lint run --disable=depguard ./...) || exit 1; done

# Compares responses on random input of new seeds, which are printed, or of SEED. First two gateways: GENERATED documents
# and records, a tenth as many with the race detector, a tenth as many subscriptions while their records change, and
# documents with several operations. Then the binary with graphql-js: DOCUMENTS documents. Last, PARTS documents with
# deferred fragments in parts, with their whole responses and with graphql-js 17. `make test` compares 150 generated
# documents and 30 with several operations. See docs/conformance.md.
GENERATED = 20000
DOCUMENTS = 20000
PARTS = 8000
SEED =
differential: $(page) test/e2e/node_modules/.installed
	go test -count=1 -v -timeout 60m -run '^TestGeneratedQueries$$' ./serve -seed $(or $(SEED),0) -generated $(GENERATED)
	CGO_ENABLED=1 go test -count=1 -v -timeout 60m -race -run '^TestGeneratedQueries$$' ./serve -seed $(or $(SEED),0) -generated $$(($(GENERATED) / 10))
	go test -count=1 -v -timeout 60m -run '^TestEventsAreTheQuery$$' ./serve -seed $(or $(SEED),0) -generated $$(($(GENERATED) / 10))
	CGO_ENABLED=1 go test -count=1 -v -timeout 60m -race -run '^TestGeneratedOperations$$' ./serve -seed $(or $(SEED),0) -documents 300
	$(compile) -o bin/pixgraph .
	npm --prefix test/e2e run oracle -- --documents $(DOCUMENTS) $(SEED:%=--seed %)
	go test -count=1 -v -timeout 60m -run '^TestPartsAreTheWhole$$' ./serve -seed $(or $(SEED),0) -generated $(PARTS)
	npm --prefix test/e2e run parts -- --documents $(PARTS) $(SEED:%=--seed %)

# Runs every fuzz target for FUZZTIME each: a duration, or a number of inputs such as 1000x.
FUZZTIME = 30s
fuzz:
	list=$$(go list -f '{{.Dir}} {{join .TestGoFiles " "}} {{join .XTestGoFiles " "}}' ./...) && echo "$$list" | while read -r dir files; do \
		cd $$dir && grep -ho '^func Fuzz[A-Za-z0-9]*' $$files /dev/null | cut -d' ' -f2 | while read -r target; do \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x . || exit 1; \
		done || exit 1; \
	done

# Measures what a request costs, compared with a server without GraphQL and a reverse proxy, in about three minutes.
# BENCH=-quick is shorter, BENCH="-before OLD -gateway NEW" compares two binaries. Then it runs the Go benchmarks.
bench: $(page) load
	bin/load bench $(BENCH)
	go test -run '^$$' -bench . -benchmem ./graph/... ./serve/...

# Runs a gateway under load and faults for DURATION. Fails if memory, goroutines or file descriptors keep growing.
DURATION = 10m
soak: $(page) load
	bin/load soak -duration $(DURATION)

# Measures downloads of a million records next to queries for the same pages, in some minutes. Fails if a file is not
# complete, or if it takes more memory than queries. DOWNLOAD="-records 50000" is shorter.
download: $(page) load
	bin/load download $(DOWNLOAD)

# Measures what clients see while the core hangs, in two minutes. Fails if a request of a measured client fails, never
# for a latency. OUTAGE="-hang 18s" sets the duration of the outage.
outage: $(page) load
	bin/load outage $(OUTAGE)

# Measures what a small caller notices of the attacks of a large one, in two minutes. Fails if a request of the small
# caller fails, never for a latency. SHARES="-only introspection" selects.
shares: $(page) load
	bin/load shares $(SHARES)

# Measures three gateways that act as one through a real Redis, in five minutes: what callers get of their rates, and what
# clients notice of outages. Fails if a request fails, never for a figure. FLEET="-window 5s" is shorter.
fleet: $(page) programs load
	bin/load fleet $(FLEET)

# Measures what 10,000 streams cost, and how soon they show a change, in ten minutes. Fails if a stream ends or misses a
# change, never for a figure. STREAMS="-streams 1000 -only 'at rest'" selects.
streams: $(page) load
	bin/load streams $(STREAMS)

# Measures which tests find which defects, for hours. Better in a clone, which nobody edits meanwhile. CONTRIBUTING.md says
# how to read its report.
MUTATE =
mutate:
	go -C tools/mutate run . -root "$(CURDIR)" $(MUTATE)

# Builds the load tool, bin/load.
load:
	go build -C tools/load -o ../../bin/load .

# Generates what docs/upstream-api.yaml determines: tables of docs/upstream-api.md, records and filters of the client,
# and operations of the sandbox. Then graph/generated and the stubs of resolvers from the schema.
generate:
	go run ./upstream/contract/generate
	go run ./graph/generate

# Builds the binaries of a release for each platform, with checksums and lists of components, the image, and the npm
# package, in bin/release. It needs a clone of the repository without changes; the tag of the commit is the version. SOURCE is the
# URL of the repository, for labels.
SOURCE =
release: $(client) release-page
	go -C tools/release run . -root "$(CURDIR)" -source "$(SOURCE)" binaries image client

# Builds the image alone: an OCI archive for amd64 and arm64.
image: release-page
	go -C tools/release run . -root "$(CURDIR)" -source "$(SOURCE)" image

# The page, compressed as much as possible.
release-page: $(web)/node_modules/.installed
	npm --prefix $(web) run build -- --mode release
