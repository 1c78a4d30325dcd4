package fleet

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"pixgraph/internal/netcause"
)

// patience is the time for which Inspect waits for a connection or an answer. A gateway waits less: Inspect has to
// distinguish a slow server from one that does not answer.
const patience = 5 * time.Second

// Inspection is what Inspect found at a server that can be reached.
type Inspection struct {
	Server  string // such as "Redis 7.0.15"; "" if the server does not say what it is
	Old     bool   // below 6.2, the first version with permissions for channels, or unknown
	Replica bool   // of another server, without a cluster
	// Denied is the commands, and the keys or the channel, for which the user lacks permission. Unknown is the commands
	// that the server does not know. Failed is why commands fail for another reason, nil if none does.
	Denied, Unknown []string
	Failed          error
	// Silent reports whether a published message did not arrive.
	Silent bool
	// MaxMemory is the limit in bytes, 0 for none. Policy is "" if the user may not read them.
	MaxMemory int64
	Policy    string
	Latency   time.Duration // the median of settlements; 0 if they fail
}

// The errors of Inspect and of Inspection.Failed, next to those of netcause. None has a text of the server.
var (
	ErrCredentials = errors.New("the server rejects the user or the password, or requires them")
	ErrDenied      = errors.New("the user lacks permission for a command that a connection needs")
	ErrNotRedis    = errors.New("the server does not respond as Redis does")
	ErrReadOnly    = errors.New("the server is read-only: it is a replica, or cannot save its data")
	ErrFull        = errors.New("the memory of the server is full")
	ErrHello       = errors.New("the connection is closed at HELLO, the first command")
	ErrMasterSet   = errors.New("the Sentinels do not know the master set")
)

// Inspect connects as a fleet does and tries what a fleet does, on keys of its own that expire at once. Its error says
// why there is no connection.
func Inspect(ctx context.Context, c Config) (i Inspection, err error) {
	c.Patience = patience
	f, err := Open(c) // is not started
	if err != nil {
		return i, err
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() {
		defer f.recover()
		f.Close()
	})()
	if err := f.link.open(); err != nil {
		return i, cause(err)
	}
	f.inspectServer(&i)
	f.inspectCommands(&i)
	f.inspectChannel(&i)
	f.inspectMemory(&i)
	f.inspectLatency(&i)
	return i, ctx.Err()
}

// try sends a command.
func (f *Fleet) try(c command) (any, error) { return f.link.sendOne(patience, c) }

var versionForm = regexp.MustCompile(`^([0-9]{1,3})\.([0-9]{1,3})(\.[0-9]{1,5}){0,2}$`)

// inspectServer reads what HELLO says, which each user may send.
func (f *Fleet) inspectServer(i *Inspection) {
	i.Old = true
	hello := map[string]string{}
	pairs, _ := redis.Values(f.try(keyless("HELLO", 2))) // unknown below 6.0, and to some proxies
	for i := 0; i+1 < len(pairs); i += 2 {
		name, _ := redis.String(pairs[i], nil)
		hello[name], _ = redis.String(pairs[i+1], nil)
	}
	version, name := versionForm.FindStringSubmatch(hello["version"]), map[string]string{"redis": "Redis", "valkey": "Valkey"}[hello["server"]]
	if version == nil || name == "" {
		return
	}
	major, _ := strconv.Atoi(version[1])
	minor, _ := strconv.Atoi(version[2])
	i.Server, i.Old = name+" "+version[0], major < 6 || major == 6 && minor < 2
	i.Replica = hello["role"] == "replica" && !f.target.Cluster
}

// inspectCommands tries each command, and then the scripts: their errors do not say which command was denied.
func (f *Fleet) inspectCommands(i *Inspection) {
	_, err := f.try(keyless("TIME"))
	i.add("TIME", err)
	for _, words := range keyCommands {
		_, err := f.try(keyed(words[0].(string), f.config.Prefix+"t"+f.id, words[1:]...))
		i.add(words[0].(string), err)
	}
	_, err = f.try(f.ownSettlement(false))
	i.add("EVAL", err)
	_, err = f.try(eval(joinScript, f.config.Prefix+"j"+f.id, f.id, 10))
	i.add("EVAL", err)
	_, err = f.try(f.ownSettlement(true))
	if refused := redis.Error(""); errors.As(err, &refused) && strings.HasPrefix(string(refused), "NOSCRIPT") {
		err = nil // EVAL was denied
	}
	i.add("EVALSHA", err)
}

// inspectChannel subscribes, on a connection of its own as a fleet does, and publishes a message without hints.
func (f *Fleet) inspectChannel(i *Inspection) {
	conn, err := f.link.dial()
	if err != nil {
		i.add("SUBSCRIBE", err)
		return
	}
	subscribed, received, ended := make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{})
	limit := time.AfterFunc(2*patience, func() { _ = conn.Close() })
	defer func() {
		limit.Stop()
		_ = conn.Close()
		<-ended
	}()
	go func() {
		defer close(ended)
		defer f.recover()
		err = receive(conn, f.hints.channel(), func() { wake(subscribed) }, func(message []byte) {
			if string(message) == string(f.hints.sender[:]) {
				wake(received)
			}
		})
	}()
	heard := true
	select {
	case <-subscribed:
	case <-ended:
		heard = false
		i.add("SUBSCRIBE", err)
	}
	_, refused := f.try(keyless("PUBLISH", f.hints.channel(), f.hints.sender[:]))
	if i.add("PUBLISH", refused); refused != nil || !heard {
		return
	}
	select {
	case <-received:
	case <-ended:
		i.Silent = true
	}
}

// inspectMemory reads the limit of the memory. In a cluster, it is that of one node.
func (f *Fleet) inspectMemory(i *Inspection) {
	text, _ := redis.String(f.try(keyless("INFO", "memory")))
	for line := range strings.Lines(text) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), ":"); name {
		case "maxmemory":
			i.MaxMemory, _ = strconv.ParseInt(value, 10, 64)
		case "maxmemory_policy":
			if slices.Contains(policies[:], value) {
				i.Policy = value
			}
		}
	}
}

var policies = [...]string{"noeviction", "allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl"}

func (f *Fleet) inspectLatency(i *Inspection) {
	var took [9]time.Duration
	for n := range took {
		began := time.Now()
		if _, err := f.try(f.ownSettlement(false)); err != nil {
			return
		}
		took[n] = time.Since(began)
	}
	slices.Sort(took[:])
	i.Latency = took[len(took)/2]
}

// cause returns one of the errors above or of netcause.
func cause(err error) error {
	var refused redis.Error
	if !errors.As(err, &refused) {
		for _, known := range []error{ErrMasterSet, ErrHello} {
			if errors.Is(err, known) {
				return known
			}
		}
		if errors.Is(err, errTimeout) {
			return context.DeadlineExceeded
		}
		if found := netcause.Of(err); !errors.Is(found, netcause.ErrNoHTTP) {
			return found
		}
		return ErrNotRedis
	}
	why := reason(refused)
	switch {
	case why == reasonDenied && strings.HasPrefix(string(refused), "NOPERM"):
		return ErrDenied
	case why == reasonDenied:
		return ErrCredentials
	case why == reasonReadOnly:
		return ErrReadOnly
	case why == reasonFull:
		return ErrFull
	default:
		return fmt.Errorf("the server responds with an error: %s", why)
	}
}
