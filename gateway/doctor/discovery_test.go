package doctor_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pixgraph/auth"
	"pixgraph/gateway/doctor"
	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/sandbox"
)

// TestDiscovery: the report says whether a client that knows only the public URL learns where to sign in.
func TestDiscovery(t *testing.T) {
	box := gatewaytest.StartSandbox(t, sandbox.Config{Records: 50, MoveEvery: -1})
	issuers := box.Issuer().URLs()
	for _, tt := range []struct {
		name      string
		issuers   []string
		challenge string // %s is the URL of the metadata
		audience  bool   // whether auth_audience has the resource
		want      row
	}{
		{"a resource", issuers, `Bearer resource_metadata="%s"`, true, row{"sign-in discovery", doctor.OK, []string{"a 401 leads to", "issuer"}}},
		{"not an audience", issuers, `Bearer resource_metadata="%s"`, false, row{"sign-in discovery", doctor.Warn, []string{"auth_audience does not contain"}}},
		{"another issuer", []string{"https://other.example.com/"}, `Bearer resource_metadata="%s"`, true,
			row{"sign-in discovery", doctor.Fail, []string{"https://other.example.com/", "auth_issuer is " + strings.Join(issuers, ", ")}}},
		{"a proxy that drops the link", issuers, `Bearer`, true, row{"sign-in discovery", doctor.Warn, []string{"a 401 without resource_metadata"}}},
		{"another host", issuers, `Bearer resource_metadata="https://other.example.com/m"`, true,
			row{"sign-in discovery", doctor.Warn, []string{"a 401 that leads to https://other.example.com/m"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			listener, err := net.Listen("tcp4", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			public := "http://" + listener.Addr().String() + "/pay"
			resource := auth.ResourceAt(public, auth.GraphQLPath)
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "" {
					t.Error("a token was sent")
				}
				if r.URL.Path == auth.MetadataPath+"/pay/graphql" {
					_, _ = w.Write(resource.Metadata(tt.issuers, nil))
					return
				}
				challenge := tt.challenge
				if strings.Contains(challenge, "%s") {
					challenge = fmt.Sprintf(challenge, resource.MetadataURL())
				}
				w.Header()["Www-Authenticate"] = []string{"Negotiate", challenge} // a proxy may add its own
				w.WriteHeader(http.StatusUnauthorized)
			}))
			_ = server.Listener.Close()
			server.Listener = listener
			server.Start()
			defer server.Close()
			audiences := box.Audience()
			if tt.audience {
				audiences += "," + resource.URL
			}
			flags := gatewaytest.Flags(box, "--public-url="+public+"/", "--auth-audience="+audiences)
			expect(t, run(t, flags, box.Token()), tt.want)
		})
	}
	t.Run("assistants", func(t *testing.T) {
		server := httptest.NewUnstartedServer(nil)
		public := "http://" + server.Listener.Addr().String()
		server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			path, isMetadata := strings.CutPrefix(r.URL.Path, auth.MetadataPath)
			resource := auth.ResourceAt(public, path)
			if isMetadata {
				_, _ = w.Write(resource.Metadata(issuers, nil))
				return
			}
			w.Header().Set("WWW-Authenticate", resource.Challenge("Bearer"))
			w.WriteHeader(http.StatusUnauthorized)
		})
		server.Start()
		defer server.Close()
		for audience, want := range map[string]doctor.Result{"/mcp": doctor.OK, "/graphql": doctor.Warn} {
			flags := gatewaytest.Flags(box, "--mcp=on", "--public-url="+public, "--auth-audience="+box.Audience()+","+public+audience)
			expect(t, run(t, flags, box.Token()), row{"sign-in discovery of assistants", want, []string{public}})
		}
	})
	t.Run("unreachable", func(t *testing.T) {
		server := httptest.NewServer(nil)
		defer server.Close()
		for public, want := range map[string]string{
			"http://" + closedPort(t):                        "cannot be reached from here: connection refused",
			"https" + strings.TrimPrefix(server.URL, "http"): "cannot be reached from here: the port does not speak TLS",
		} {
			expect(t, run(t, gatewaytest.Flags(box, "--public-url="+public), box.Token()), row{"sign-in discovery", doctor.Warn, []string{want}})
		}
	})
}
