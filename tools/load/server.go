package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"pixgraph/internal/process"
)

// server is one of the servers that are compared.
type server struct {
	*process.Process
	recorded map[string][]recorded // by query
	start    time.Duration         // from the start of the process to the first response
	idle     int64                 // bytes in memory after the first response
	peak     int64                 // maximum bytes in memory in the whole run
}

// recorded is a request and its response.
type recorded struct{ request, response []byte }

// The names of the servers.
const (
	gatewayName = "gateway"
	earlier     = "before" // another binary of the gateway
	floorName   = "floor"
	proxyName   = "proxy"
)

// names returns the names of the servers, in the order in which they start.
func (b *bench) names() []string {
	all := []string{gatewayName, earlier, floorName, proxyName}
	return slices.DeleteFunc(all, func(name string) bool { return name == earlier && b.before == "" })
}

// The paths of the two APIs at the stand-in.
const (
	coreBase       = "/core"
	dispatcherBase = "/dispatcher"
)

// start starts a server. All gateways get the same flags.
func (b *bench) start(ctx context.Context, name string) (*server, error) {
	binary, flags := b.binary, []string{
		"--paging-page-param=page", "--paging-per-page-param=perPage",
		"--upstream-timeout=50s", "--operation-timeout=50s", // so that responses are the same on a busy machine
	}
	if name == earlier {
		binary = b.before
	}
	var p *process.Process
	var err error
	switch name {
	case floorName:
		p, err = b.startRole(ctx, name, scriptedRole, b.floorScripts())
	case proxyName:
		p, err = b.startRole(ctx, name, proxyRole, b.upstream(""))
	default:
		p, err = b.startGateway(ctx, name, binary, b.box, b.upstream(coreBase).String(), b.upstream(dispatcherBase).String(), flags)
	}
	return &server{Process: p, recorded: map[string][]recorded{}}, err
}

// upstream returns the URL of a request target of the stand-in.
func (b *bench) upstream(target string) *url.URL {
	path, query, _ := strings.Cut(target, "?")
	return &url.URL{Scheme: "http", Host: b.standin.Address, Path: path, RawQuery: query}
}

// floorTarget returns the request target of the floor for a query with its i-th set of variables.
func floorTarget(q query, i int) string { return "/" + q.name + "/" + strconv.Itoa(i) }

// floorScripts returns scripts that make the calls of each request, and respond in the same way as the first gateway.
func (b *bench) floorScripts() map[string]script {
	all := map[string]script{}
	for _, q := range b.queries {
		for i, set := range q.sets {
			s := script{make([][]*url.URL, len(set.calls)), b.servers[0].recorded[q.name][i].response}
			for round, targets := range set.calls {
				for _, target := range targets {
					s.Calls[round] = append(s.Calls[round], b.upstream(target))
				}
			}
			all[floorTarget(q, i)] = s
		}
	}
	return all
}

// record sends every query with each of its sets of variables to a server. The responses of the first gateway must have
// no errors. Those of the other servers must equal them, except that those of the proxy must equal those of the
// stand-in.
func (b *bench) record(ctx context.Context, s *server) error {
	c := newConnection(0, s.Address)
	defer c.close()
	for _, q := range b.queries {
		for i, set := range q.sets {
			target, want := "/graphql", []byte(nil)
			if first := b.servers[0].recorded[q.name]; i < len(first) {
				want = first[i].response
			}
			if s.Name == floorName {
				target = floorTarget(q, i)
			}
			request := post(target, b.token, operation{Query: document(q.name), Variables: set.variables})
			if s.Name == proxyName {
				if len(set.variables) > 0 {
					continue // the query needs more than one page
				}
				page := set.calls[0][0]
				request, want = fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: load\r\nAuthorization: Bearer %s\r\n\r\n", page, b.token), b.apis.responses[page].Response
			}
			status, response, err := c.do(ctx, request)
			if err != nil {
				return err
			}
			if len(s.recorded) == 0 {
				s.start = time.Since(s.Began)
				usage, err := s.Usage()
				if s.idle = usage.RSS; err != nil {
					return err
				}
			}
			if code, _ := codeOf(response); status != http.StatusOK || code != ok || want != nil && !bytes.Equal(response, want) {
				return fmt.Errorf("%s, %s with variables %d: a response has an error or differs: status %d, %.300q", s.Name, q.name, i, status, response)
			}
			s.recorded[q.name] = append(s.recorded[q.name], recorded{request, bytes.Clone(response)})
		}
	}
	return nil
}
