package serve

import (
	"crypto/sha256"

	"pixgraph/fleet"
	"pixgraph/graph/guard/limits"
	"pixgraph/graph/guard/persisted"
	"pixgraph/request"
)

// startFleet connects the parts of the gateway with those of the other replicas: what callers took of their rates, and
// hints at records of streams.
func (g *Gateway) startFleet() {
	if g.config.Fleet != nil {
		g.config.Fleet.Start(g.limited, g.live.Hinted)
	}
}

// hint returns what notifies the other replicas of a record that may have changed, nil without others.
func (g *Gateway) hint() func(fleet.Hint) {
	if g.config.Fleet == nil {
		return nil
	}
	return g.config.Fleet.Hint
}

// sharedDocuments is the documents that clients have registered at other replicas. Each caller has a share of the
// searches and of what is written, and pays for a search as for an upstream call.
type sharedDocuments struct {
	fleet   *fleet.Fleet
	limited *limits.Limits
}

var _ persisted.Fleet = sharedDocuments{}

// Document implements persisted.Fleet.
func (d sharedDocuments) Document(call *request.Call, hash [sha256.Size]byte) (text string, ok bool) {
	if d.limited.PayInBackground(call.Caller(), call.Address, 1) > 0 {
		return "", false
	}
	return d.fleet.Document(call.Share(), hash)
}

// Register implements persisted.Fleet.
func (d sharedDocuments) Register(call *request.Call, hash [sha256.Size]byte, text string) {
	d.fleet.Register(call.Share(), hash, text)
}
