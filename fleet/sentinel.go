package fleet

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/gomodule/redigo/redis"

	"pixgraph/internal/delay"
)

// masterEvery is the time between two questions to a Sentinel about the master. A master that is replaced closes its
// connections, unless the network separates it from the others.
const masterEvery = 5 * time.Second

// openMaster connects to the master that one of the Sentinels names.
func (c Config) openMaster(ctx context.Context, target Target) (address string, conn redis.Conn, err error) {
	var errs []error
	for _, sentinel := range target.addresses {
		if address, err = c.master(ctx, sentinel, target.masterSet); err == nil {
			conn, err = c.open(ctx, address, false)
		}
		if err == nil {
			if err = isMaster(conn); err == nil {
				return address, conn, nil
			}
			_ = conn.Close()
		}
		errs = append(errs, err)
	}
	return "", nil, errors.Join(errs...)
}

// master asks a Sentinel for the address of the master.
func (c Config) master(ctx context.Context, sentinel, set string) (string, error) {
	conn, err := c.open(ctx, sentinel, true)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	at, err := redis.Strings(conn.Do("SENTINEL", "GET-MASTER-ADDR-BY-NAME", set))
	switch {
	case errors.Is(err, redis.ErrNil):
		return "", ErrMasterSet
	case err != nil:
		return "", err
	case len(at) != 2:
		return "", ErrNotRedis
	}
	return net.JoinHostPort(at[0], at[1]), nil
}

var errReplica = errors.New("the Sentinel names a server that is not the master")

// isMaster fails at a replica: a Sentinel may not know of a failover yet.
func isMaster(conn redis.Conn) error {
	var role string
	answer, err := redis.Values(conn.Do("ROLE"))
	if err == nil {
		_, err = redis.Scan(answer, &role)
	}
	if err == nil && role != "master" {
		return errReplica
	}
	return err
}

// isNamed reports whether the first Sentinel that answers names an address as the master.
func (f *Fleet) isNamed(address string) bool {
	for _, sentinel := range f.target.addresses {
		if named, err := f.config.master(f.ctx, sentinel, f.target.masterSet); err == nil {
			return named == address
		}
	}
	return true // none knows better
}

// follow ends the connection to a master that is replaced: if a Sentinel names another server, and that is one. A
// Sentinel that does not know of a failover yet still names the former.
func (f *Fleet) follow() {
	master, ok := f.link.servers.(*server)
	if f.target.masterSet == "" || !ok {
		<-f.ctx.Done()
		return
	}
	for delay.Sleep(f.ctx, jitter(masterEvery)) {
		p := master.connected()
		if p == nil || f.isNamed(p.address) {
			continue
		}
		if address, conn, err := f.config.openMaster(f.ctx, f.target); err == nil {
			_ = conn.Close()
			if address != p.address {
				p.end(errAway)
			}
		}
	}
}
