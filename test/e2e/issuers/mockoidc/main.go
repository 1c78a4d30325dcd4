// Command mockoidc is an issuer of oauth2-proxy/mockoidc. It prints its URL, and the id and the secret of its client.
package main

import (
	"fmt"
	"os"

	"github.com/oauth2-proxy/mockoidc"
)

func main() {
	m, err := mockoidc.Run()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(m.Issuer(), m.ClientID, m.ClientSecret)
	select {}
}
