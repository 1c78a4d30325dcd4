package fleet

import (
	"crypto/tls"
	"log/slog"
	"net"
	"testing"

	"pixgraph/internal/redistest"
)

// TestDeniedInScript: a command that is denied within settle.lua or join.lua counts as denied. A value of another type
// counts as absent.
func TestDeniedInScript(t *testing.T) {
	s := redistest.Start(t)
	for _, command := range []string{"getrange", "set", "time"} {
		t.Run(command, func(t *testing.T) {
			if _, err := s.Command("ACL", "SETUSER", "gateway", "reset", "on", "nopass", "~*", "&*", "+@all", "-"+command); err != nil {
				t.Fatal(err)
			}
			if err := open(t, "gateway", s).settleOwn(false); err == nil || reason(err) != reasonDenied {
				t.Error(err)
			}
		})
	}
	f := open(t, "default", s)
	if _, err := s.Command("HSET", "p"+f.id, "a", "b"); err != nil {
		t.Fatal(err)
	}
	if err := f.settleOwn(false); err != nil {
		t.Error(err)
	}
}

// open returns a fleet with a connection and without background work.
func open(t *testing.T, user string, s *redistest.Server) *Fleet {
	t.Helper()
	f, err := Open(Config{
		URL: URL("redis://" + user + ":any@" + s.Address()), Dial: new(net.Dialer).DialContext, TLS: func() *tls.Config { return nil },
		Log: slog.New(slog.DiscardHandler), patience: patience,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	if err := f.link.open(); err != nil {
		t.Fatal(err)
	}
	return f
}
