package fleet

import (
	"cmp"
	"errors"
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
	// maxNodes bounds the servers that a cluster names.
	maxNodes = 1000
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
	stale   bool        // whether the ranges are to be read
	read    time.Time   // of the ranges, last
	closed  bool
}

// slotRange is a range of slots, with the node that has them.
type slotRange struct {
	first, last int
	address     string
}

func newCluster(seeds []string, connect func(address string) (redis.Conn, error)) *cluster {
	return &cluster{seeds: seeds, connect: connect, servers: map[string]*server{}, stale: true}
}

// do sends each command to the node that has its key. One that is refused since another node has the key is sent to
// that one, once: it did not run.
func (c *cluster) do(commands []command) []result {
	_ = c.refresh() // commands fail with the error of their node
	groups := map[*server][]int{}
	for i, command := range commands {
		s := c.of(command.key)
		groups[s] = append(groups[s], i)
	}
	results := allFailed(len(commands), errPanic)
	var all sync.WaitGroup
	for s, group := range groups {
		all.Go(func() {
			defer func() { _ = recover() }() // the results say so
			sent := make([]command, len(group))
			for j, i := range group {
				sent[j] = commands[i]
			}
			for j, r := range s.do(sent) {
				results[group[j]] = c.redirect(sent[j], r)
			}
		})
	}
	all.Wait()
	return results
}

// redirect follows an answer that names another node, such as MOVED 3999 127.0.0.1:6381.
func (c *cluster) redirect(sent command, r result) result {
	if r.err == nil {
		return r
	}
	refused, ok := r.err.(redis.Error)
	words := strings.Fields(string(refused))
	switch {
	case !ok: // the node does not answer
		c.expire()
	case len(words) == 3 && words[0] == "MOVED":
		c.expire()
		return c.server(words[2]).do([]command{sent})[0]
	case len(words) == 3 && words[0] == "ASK":
		return c.server(words[2]).do([]command{keyless("ASKING"), sent})[1]
	}
	return r
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

// of returns the node that has a key. For no key, and for one whose node is unknown, it is a node that is connected, if
// there is one.
func (c *cluster) of(key string) *server {
	if key != "" {
		c.mu.Lock()
		slot := slotOf(key)
		i, _ := slices.BinarySearchFunc(c.ranges, slot, func(r slotRange, slot int) int { return r.last - slot })
		ranges := c.ranges
		c.mu.Unlock()
		if i < len(ranges) && ranges[i].first <= slot {
			return c.server(ranges[i].address)
		}
	}
	return c.server(c.addresses()[0])
}

// addresses are those of the URL and of the cluster, first those that are connected.
func (c *cluster) addresses() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.Clone(c.seeds)
	for _, r := range c.ranges {
		if !slices.Contains(all, r.address) {
			all = append(all, r.address)
		}
	}
	away := func(address string) int {
		if s := c.servers[address]; s != nil && s.connected() != nil {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b string) int { return away(a) - away(b) })
	return all
}

func (c *cluster) open() error {
	c.expire()
	return c.refresh()
}

func (c *cluster) dial() (conn redis.Conn, err error) {
	for _, address := range c.addresses() {
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
	for _, address := range c.addresses() {
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
	c.ranges, c.stale = ranges, false
	for address, s := range c.servers {
		if !slices.Contains(c.seeds, address) && !slices.ContainsFunc(ranges, func(r slotRange) bool { return r.address == address }) {
			s.close()
			delete(c.servers, address)
		}
	}
}

// slotRanges reads the answer to CLUSTER SLOTS, nil if it is none. A node that does not know its own host has that at
// which it was asked.
func slotRanges(r result, asked string) (ranges []slotRange) {
	rows, _ := redis.Values(r.reply, r.err)
	host, _, _ := net.SplitHostPort(asked)
	for _, row := range rows {
		var (
			at   slotRange
			node []any
			name string
			port int
		)
		columns, _ := redis.Values(row, nil)
		if _, err := redis.Scan(columns, &at.first, &at.last, &node); err != nil || len(ranges) == slots {
			return nil
		}
		if _, err := redis.Scan(node, &name, &port); err != nil {
			return nil
		}
		if name == "" || name == "?" {
			name = host
		}
		at.address = net.JoinHostPort(name, strconv.Itoa(port))
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
