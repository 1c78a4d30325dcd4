package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"syscall"

	"pixgraph/fleet"
	"pixgraph/internal/netcause"
)

const redisPrefix = "redis"

// recommendedPolicies evict the keys that were not used for the longest time, or are used least: documents that no
// client sends any more. All keys of a gateway expire.
var recommendedPolicies = []string{"allkeys-lru", "allkeys-lfu", "volatile-lru", "volatile-lfu"}

// redis checks what replicas share. A failure means that they do not act as one; each would still serve requests.
func (e *examination) redis() Check {
	config := e.Settings.Fleet
	if config.URL == "" {
		return Check{}
	}
	target, err := config.URL.Parse()
	if err != nil {
		return failed("redis_url "+err.Error(), "")
	}
	first, readable, made, asked := len(e.report.Checks), false, false, false
	for _, address := range target.Addresses() {
		if strings.HasPrefix(address, "/") { // a unix socket
			made = true
			continue
		}
		server := "http://" + address
		if target.TLS {
			server = "https://" + address
		}
		readable = readable || unencrypted(server)
		c := e.connection("connection redis "+address, redisPrefix, server, e.Redis)
		made, asked = made || c != nil && c.err == nil, asked || c != nil && c.asked
	}
	connections := e.report.Checks[first:]
	if !made {
		return skipped("no connection was made, see above", "")
	}
	config.Dial, config.TLS, config.Log = e.Redis.Dial, e.Redis.TLS, slog.New(slog.DiscardHandler)
	found, err := fleet.Inspect(e.ctx, config)
	if err != nil {
		hint := redisHint(err, config)
		if asked && e.Redis.ClientCertificate() == nil { // its alert may be lost: the connection is reset
			hint = hintOf(netcause.ErrClientCertificate, redisPrefix)
		}
		return failed(err.Error(), hint)
	}
	for i := range connections {
		if connections[i].Result == Fail { // a gateway uses another Sentinel, or another node of a cluster
			connections[i].Result = Warn
		}
	}
	e.report.add(redisPrefix, redisServer(found, readable))
	e.report.add("redis commands", redisCommands(found, config))
	e.report.add("redis memory", redisMemory(found))
	e.report.add("redis latency", redisLatency(found))
	return Check{}
}

func redisCommands(found fleet.Inspection, config fleet.Config) Check {
	switch {
	case len(found.Unknown) > 0:
		return failed("the server does not know "+strings.Join(found.Unknown, ", "),
			"it was renamed (rename-command), or the server or a proxy does not offer it: a gateway needs each command that it sends")
	case len(found.Denied) > 0:
		return failed("the user lacks permission for "+strings.Join(found.Denied, ", "), redisHint(fleet.ErrDenied, config))
	case found.Failed != nil:
		return failed(found.Failed.Error(), redisHint(found.Failed, config))
	case found.Silent:
		return failed("a published message did not arrive", "there must be no proxy that does not forward PUBLISH and SUBSCRIBE")
	default:
		return passed("the user has all permissions that a gateway needs")
	}
}

func redisServer(found fleet.Inspection, readable bool) Check {
	detail := cmp.Or(found.Server, "its version is not known")
	switch {
	case found.Replica:
		return warned(detail+", a replica",
			"what is written to it is lost: set the address of the primary, or those of Sentinels with master_set, in redis_url")
	case found.Old:
		return warned(detail, "gateways are tested with Redis 7.0; use 6.2 or later, or Valkey")
	case readable:
		return warned(detail+", not encrypted", "the password, keys and documents are sent in clear text: use rediss in redis_url")
	default:
		return passed(detail)
	}
}

func redisMemory(found fleet.Inspection) Check {
	const mebi = 1 << 20
	limit := fmt.Sprintf("maxmemory is %d MiB, maxmemory-policy is %s", found.MaxMemory/mebi, found.Policy)
	switch {
	case found.Policy == "":
		return skipped("maxmemory-policy is not known: the user may not send INFO", "a check for the doctor only: +info permits it")
	case found.MaxMemory == 0:
		return passed("no maxmemory")
	case slices.Contains(recommendedPolicies, found.Policy):
		return passed(limit)
	case found.Policy == "noeviction":
		return warned(limit+": when it is full, replicas limit rates by themselves",
			"set maxmemory-policy to allkeys-lru, or to volatile-lru if others store keys without expiry")
	default:
		return warned(limit+": it evicts rates before documents",
			"set maxmemory-policy to allkeys-lru, or to volatile-lru if others store keys without expiry")
	}
}

func redisLatency(found fleet.Inspection) Check {
	detail := fmt.Sprintf("%.1f ms, the median of settlements of a rate", found.Latency.Seconds()*1000)
	switch {
	case found.Latency == 0:
		return skipped("no rate could be settled, see above", "")
	case found.Latency >= fleet.MaxWait:
		return warned(detail, "a gateway does not use a Redis that needs more than "+fleet.MaxWait.String()+": run it closer")
	case found.Latency >= fleet.MaxDocumentWait:
		return warned(detail,
			"above "+fleet.MaxDocumentWait.String()+" documents of other replicas are not found, and clients send them again: run it closer")
	default:
		return passed(detail)
	}
}

// checkPort is what to do about a server that does not speak Redis.
const checkPort = "check the host and the port in redis_url; for a port with TLS it must begin with rediss"

// commanding are the remedies of commands.
var commanding = remedies{
	{fleet.ErrCredentials, "check the user in redis_url, and the password in it or in redis_password_file"},
	{fleet.ErrHello, checkPort + ". A proxy that does not know HELLO, such as twemproxy, cannot be used"},
	{fleet.ErrNotRedis, checkPort}, {netcause.ErrTruncated, checkPort}, {syscall.ECONNRESET, checkPort},
	{fleet.ErrReadOnly, "set the address of the primary in redis_url, or check the disk of the server"},
	{fleet.ErrFull, "raise maxmemory, or set maxmemory-policy to allkeys-lru"},
	{fleet.ErrMasterSet, "check master_set in redis_url"},
	{context.DeadlineExceeded, "the server does not answer: check whether it hangs or is overloaded"},
}

// redisHint returns what to do about an error of Redis.
func redisHint(err error, config fleet.Config) string {
	if errors.Is(err, fleet.ErrDenied) {
		return "grant what is missing: " + config.Rule()
	}
	return cmp.Or(commanding.of(err), hintOf(err, redisPrefix), "check redis_url, also the number of its database")
}

// withoutALPN offers no protocol, as a connection to Redis does.
func withoutALPN(t *http.Transport) {
	t.Protocols.SetHTTP2(false)
	t.TLSClientConfig.NextProtos = nil
}
