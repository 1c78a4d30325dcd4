package serve

import (
	"context"
	"errors"
	"net/http"

	"pixgraph/auth"
	"pixgraph/request"
	"pixgraph/serve/cors"
	"pixgraph/serve/mcp"
	"pixgraph/serve/run"
)

// newAssistants returns the transport for assistants; nil if they are not served. A client sends its token to the
// resource that the token is for. So the gateway must verify tokens, and clients must know its URL.
func (g *Gateway) newAssistants(runner *run.Runner, allowed cors.CORS) (*mcp.Transport, error) {
	if !g.config.Assistants {
		return nil, nil //nolint:nilnil // documented
	}
	if g.config.PublicURL == "" || !g.config.Authenticator.Verifies() {
		return nil, errors.New("serve: Assistants needs PublicURL, and an Authenticator that verifies tokens")
	}
	return mcp.New(runner, mcp.Config{
		Schema: g.schema.Schema(), PersonalData: g.config.PersonalData, Allows: allowed.Allows, Charge: g.limited.Charge,
	})
}

// serveAssistants serves the requests of assistants with the steps of other requests, and the metadata of the resource.
func (g *Gateway) serveAssistants(mux *http.ServeMux) error {
	if g.assistants == nil {
		return nil
	}
	resources, err := g.resources(auth.AssistantsPath, mux)
	g.tools = endpoint{g.operations.pages, resources, false, g.serveAssistant}
	return err
}

// serveAssistant gives a client without a name one, so that the log and the metrics show operations of assistants. The
// protocol has no such header.
func (g *Gateway) serveAssistant(ctx context.Context, call *request.Call, w http.ResponseWriter, r *http.Request) {
	if call.Client.Name == "" {
		call.Client.Name = "mcp"
	}
	g.assistants.Serve(ctx, call, w, r)
}
