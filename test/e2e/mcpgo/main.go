// Command mcpgo signs in at an MCP server with mcp-go, which registers itself, and prints the result of a tool. The
// person is simulated: the form of the sandbox's page is posted.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

func main() {
	if err := run(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, server string) error {
	c, err := client.NewOAuthStreamableHttpClient(server, client.OAuthConfig{
		RedirectURI: "http://localhost:33419/callback", TokenStore: transport.NewMemoryTokenStore(), PKCEEnabled: true,
	})
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		return err
	}
	hello := mcp.InitializeRequest{}
	hello.Params.ProtocolVersion, hello.Params.ClientInfo = mcp.LATEST_PROTOCOL_VERSION, mcp.Implementation{Name: "e2e", Version: "1"}
	_, err = c.Initialize(ctx, hello)
	if !client.IsOAuthAuthorizationRequiredError(err) {
		return fmt.Errorf("no sign-in is asked for: %w", err)
	}
	if err := signIn(ctx, client.GetOAuthHandler(err)); err != nil {
		return err
	}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return err
	}
	call := mcp.CallToolRequest{}
	call.Params.Name, call.Params.Arguments = "newest_payments", map[string]any{"kind": "deposits"}
	result, err := c.CallTool(ctx, call)
	if err != nil {
		return err
	}
	text, ok := mcp.AsTextContent(result.Content[0])
	if !ok || result.IsError {
		return errors.New("the tool failed")
	}
	fmt.Println(text.Text)
	return nil
}

func signIn(ctx context.Context, handler *transport.OAuthHandler) error {
	if err := handler.RegisterClient(ctx, "e2e"); err != nil {
		return err
	}
	verifier, err := client.GenerateCodeVerifier()
	if err != nil {
		return err
	}
	state, err := client.GenerateState()
	if err != nil {
		return err
	}
	address, err := handler.GetAuthorizationURL(ctx, state, client.GenerateCodeChallenge(verifier))
	if err != nil {
		return err
	}
	page, err := url.Parse(address)
	if err != nil {
		return err
	}
	form := page.Query()
	form.Set("persona", "full")
	page.RawQuery = ""
	person := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := person.PostForm(page.String(), form)
	if err != nil {
		return err
	}
	back, err := resp.Location()
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	return handler.ProcessAuthorizationResponse(ctx, back.Query().Get("code"), state, verifier)
}
