package fleet

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"
)

const (
	slots = 16384 // of a cluster
	// maxNodes bounds the servers that a cluster names, and maxAsked those that are asked for the slots at a time.
	maxNodes = 1000
	maxAsked = 5
	// refreshEvery is the shortest time between two reads of the slots, while commands fail.
	refreshEvery = 100 * time.Millisecond
)

// cluster knows which node of a cluster has a key.
//
//   - Key: the address of a node; a range of slots.
//   - Bound: maxNodes connections (pipe), and 16,384 ranges of 40 bytes.
//   - Filled by: the URL, and what nodes say of their cluster.
//   - Emptied by: a later read of the slots, and Close.
type cluster struct {
	seeds   []string // the addresses of the URL
	connect func(address string) (redis.Conn, error)

	mu      sync.Mutex
	servers map[string]*server
	ranges  []slotRange // in order
	nodes   []string    // the addresses of the URL and of the ranges
	stale   bool        // whether the ranges are to be read
	read    time.Time   // of the ranges, last
	closed  bool
}

// slotRange is a range of slots, with the node that has them.
type slotRange struct {
	first, last int
	address     string
}

// sent is a command to a node, with the place of its result, -1 for none.
type sent struct {
	command
	at int
}

func newCluster(seeds []string, connect func(address string) (redis.Conn, error)) *cluster {
	return &cluster{seeds: seeds, connect: connect, servers: map[string]*server{}, nodes: seeds, stale: true}
}

// do sends each command to the node that has its key. One that is refused since another node has the key is sent to
// that one, once: it did not run.
func (c *cluster) do(commands []command) []result {
	_ = c.refresh() // commands fail with the error of their node
	asked, groups := make([]string, len(commands)), map[string][]sent{}
	for i, command := range commands {
		asked[i] = c.of(command.key)
		groups[asked[i]] = append(groups[asked[i]], sent{command, i})
	}
	results := allFailed(len(commands), errPanic)
	c.send(groups, results)
	clear(groups)
	for i, r := range results {
		word, to := c.redirected(asked[i], r)
		switch word {
		case "ASK":
			groups[to] = append(groups[to], sent{keyless("ASKING"), -1})
			fallthrough
		case "MOVED":
			groups[to] = append(groups[to], sent{commands[i], i})
		}
	}
	c.send(groups, results)
	return results
}

// send sends commands to their nodes at the same time, and waits for their results.
func (c *cluster) send(groups map[string][]sent, results []result) {
	var all sync.WaitGroup
	for address, group := range groups {
		all.Go(func() {
			defer func() { _ = recover() }() // the results say so
			commands := make([]command, len(group))
			for i, s := range group {
				commands[i] = s.command
			}
			for i, r := range c.server(address).do(commands) {
				if at := group[i].at; at >= 0 {
					results[at] = r
				}
			}
		})
	}
	all.Wait()
}

// redirected returns where an answer such as MOVED 3999 127.0.0.1:6381 sends a command, and its first word, "" for
// another answer.
func (c *cluster) redirected(asked string, r result) (word, to string) {
	var refused redis.Error
	answered := errors.As(r.err, &refused)
	words := strings.Fields(string(refused))
	redirects := len(words) == 3 && (words[0] == "MOVED" || words[0] == "ASK")
	if r.err != nil && !answered || redirects && words[0] == "MOVED" {
		c.expire()
	}
	if !redirects {
		return "", ""
	}
	host, port := words[2], "" // an IPv6 address has no brackets
	if colon := strings.LastIndexByte(host, ':'); colon >= 0 {
		host, port = host[:colon], host[colon+1:]
	}
	return words[0], addressOf(host, port, asked)
}

// addressOf is the address of a node. One that does not know its own host has that at which it was asked.
func addressOf(host, port, asked string) string {
	if host == "" || host == "?" {
		host, _, _ = net.SplitHostPort(asked)
	}
	return net.JoinHostPort(host, port)
}

// expire lets the ranges be read again.
func (c *cluster) expire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stale = true
}

// server returns the node at an address, which may be new.
func (c *cluster) server(address string) *server {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.servers[address]
	if s == nil {
		s = newServer(address, c.connect)
		if s.closed = c.closed || len(c.servers) >= maxNodes; !s.closed {
			c.servers[address] = s
		}
	}
	return s
}

// of returns the address of the node that has a key. For no key, and for one whose node is unknown, it is that of some
// node.
func (c *cluster) of(key string) string {
	if key != "" {
		slot := slotOf(key)
		c.mu.Lock()
		ranges := c.ranges
		c.mu.Unlock()
		i, _ := slices.BinarySearchFunc(ranges, slot, func(r slotRange, slot int) int { return r.last - slot })
		if i < len(ranges) && ranges[i].first <= slot {
			return ranges[i].address
		}
	}
	return c.some()[0]
}

// some returns the addresses of at most maxAsked nodes, first of those that are connected, the others in random order.
func (c *cluster) some() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	some := slices.Clone(c.nodes)
	rand.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
	away := func(address string) int {
		if s := c.servers[address]; s != nil && s.connected() != nil {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(some, func(a, b string) int { return away(a) - away(b) })
	return some[:min(len(some), maxAsked)]
}

func (c *cluster) open() error {
	c.expire()
	return c.refresh()
}

func (c *cluster) dial() (conn redis.Conn, err error) {
	for _, address := range c.some() {
		if conn, err = c.connect(address); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// refresh reads the ranges if they are stale, from the first node that says them.
func (c *cluster) refresh() error {
	c.mu.Lock()
	now := time.Now()
	due := c.stale && now.Sub(c.read) >= refreshEvery
	if due {
		c.read = now
	}
	c.mu.Unlock()
	if !due {
		return nil
	}
	var errs []error
	for _, address := range c.some() {
		r := c.server(address).do([]command{keyless("CLUSTER", "SLOTS")})[0]
		if ranges := slotRanges(r, address); ranges != nil {
			c.use(ranges)
			return nil
		}
		errs = append(errs, cmp.Or(r.err, ErrNotRedis))
	}
	return errors.Join(errs...)
}

// use replaces the ranges, and ends the connections to nodes that are not in them.
func (c *cluster) use(ranges []slotRange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ranges, c.stale, c.nodes = ranges, false, slices.Clone(c.seeds)
	for _, r := range ranges {
		c.nodes = append(c.nodes, r.address)
	}
	slices.Sort(c.nodes)
	c.nodes = slices.Compact(c.nodes)
	for address, s := range c.servers {
		if _, known := slices.BinarySearch(c.nodes, address); !known {
			s.close()
			delete(c.servers, address)
		}
	}
}

// slotRanges reads the answer to CLUSTER SLOTS. It returns nil for any other answer.
func slotRanges(r result, asked string) (ranges []slotRange) {
	rows, _ := redis.Values(r.reply, r.err)
	for _, row := range rows {
		var (
			at   slotRange
			node []any
			host string
			port int
		)
		columns, _ := redis.Values(row, nil)
		if _, err := redis.Scan(columns, &at.first, &at.last, &node); err != nil || len(ranges) == slots {
			return nil
		}
		if _, err := redis.Scan(node, &host, &port); err != nil {
			return nil
		}
		at.address = addressOf(host, strconv.Itoa(port), asked)
		ranges = append(ranges, at)
	}
	slices.SortFunc(ranges, func(a, b slotRange) int { return a.last - b.last })
	return ranges
}

func (c *cluster) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, s := range c.servers {
		s.close()
	}
}

// slotOf is the slot of a key: the CRC-16/XMODEM of its part in the first braces, or of all of it.
func slotOf(key string) int {
	if _, after, ok := strings.Cut(key, "{"); ok {
		if tag, _, ok := strings.Cut(after, "}"); ok && tag != "" {
			key = tag
		}
	}
	var crc uint16
	for i := range len(key) {
		crc ^= uint16(key[i]) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return int(crc) % slots
}
