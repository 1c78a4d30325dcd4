// Command zitadel is an issuer of zitadel/oidc, with the storage of its example, whose access tokens are JWTs. It
// prints its URL.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/op"
)

type jwtStorage struct{ *storage.Storage }

func (s jwtStorage) ClientCredentials(ctx context.Context, id, secret string) (op.Client, error) {
	client, err := s.Storage.ClientCredentials(ctx, id, secret)
	return jwtClient{client}, err
}

type jwtClient struct{ op.Client }

func (jwtClient) AccessTokenType() op.AccessTokenType { return op.AccessTokenTypeJWT }

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	url := "http://" + listener.Addr().String()
	users := storage.NewUserStore(url)
	handler := exampleop.SetupServer(url, jwtStorage{storage.NewStorage(users)}, slog.New(slog.DiscardHandler), false)
	fmt.Println(url)
	_ = http.Serve(listener, handler)
}
