package doctor_test

import (
	"net/http"
	"strings"
	"testing"

	"pixgraph/auth"
	"pixgraph/gateway/doctor"
)

// TestDiscovery: the report says whether a client that knows only the public URL learns where to sign in.
func TestDiscovery(t *testing.T) {
	const link, other = `Bearer resource_metadata="%s"`, "https://other.example.com/"
	for _, tt := range []struct {
		name      string
		issuers   []string // in the metadata; by default those of the sandbox
		challenge string   // %s is the URL of the metadata
		audience  bool     // whether auth_audience has the resource
		want      row
	}{
		{"a resource", nil, link, true, row{"sign-in discovery", doctor.OK, []string{"a 401 leads to", "issuer"}}},
		{"not an audience", nil, link, false, row{"sign-in discovery", doctor.Warn, []string{"auth_audience does not contain"}}},
		{"another issuer", []string{other}, link, true, row{"sign-in discovery", doctor.Fail, []string{other, "auth_issuer is http://127.0.0.1:"}}},
		{"a proxy that drops the link", nil, `Bearer`, true, row{"sign-in discovery", doctor.Warn, []string{"a 401 without resource_metadata"}}},
		{"another host", nil, `Bearer resource_metadata="https://other.example.com/m"`, true,
			row{"sign-in discovery", doctor.Warn, []string{"a 401 that leads to https://other.example.com/m"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(s *site) {
				if tt.issuers == nil {
					tt.issuers = s.box.Issuer().URLs()
				}
				var resource auth.Resource
				public := s.Serve(s, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Header.Get("Authorization") != "" {
						t.Error("a token was sent")
					}
					if r.URL.Path == auth.MetadataPath+"/pay/graphql" {
						_, _ = w.Write(resource.Metadata(tt.issuers, nil, false))
						return
					}
					challenge := strings.Replace(tt.challenge, "%s", resource.MetadataURL(), 1)
					w.Header()["Www-Authenticate"] = []string{"Negotiate", challenge} // a proxy may add its own
					w.WriteHeader(http.StatusUnauthorized)
				})) + "/pay"
				resource = auth.ResourceAt(public, auth.GraphQLPath)
				audiences := s.box.Audience()
				if tt.audience {
					audiences += "," + resource.URL
				}
				expect(s.T, s.run(s.box.Token(), "--public-url="+public+"/", "--auth-audience="+audiences), tt.want)
			})
		})
	}
}

// TestDiscoveryOfAssistants: the endpoint of assistants is a resource of its own.
func TestDiscoveryOfAssistants(t *testing.T) {
	bubble(t, func(s *site) {
		var public string
		public = s.Serve(s, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			path, isMetadata := strings.CutPrefix(r.URL.Path, auth.MetadataPath)
			resource := auth.ResourceAt(public, path)
			if isMetadata {
				_, _ = w.Write(resource.Metadata(s.box.Issuer().URLs(), nil, false))
				return
			}
			w.Header().Set("WWW-Authenticate", resource.Challenge("Bearer"))
			w.WriteHeader(http.StatusUnauthorized)
		}))
		for audience, want := range map[string]doctor.Result{"/mcp": doctor.OK, "/graphql": doctor.Warn} {
			report := s.run(s.box.Token(), "--mcp=on", "--public-url="+public, "--auth-audience="+s.box.Audience()+","+public+audience)
			expect(s.T, report, row{"sign-in discovery of assistants", want, []string{public}})
		}
	})
}

// TestUndiscoverable: the public URL cannot be reached.
func TestUndiscoverable(t *testing.T) {
	bubble(t, func(s *site) {
		for public, want := range map[string]string{
			"http://" + s.closedPort(): "cannot be reached from here: connection refused",
			"https" + strings.TrimPrefix(s.Serve(s, http.NotFoundHandler()), "http"): "cannot be reached from here: the port does not speak TLS",
		} {
			expect(s.T, s.run(s.box.Token(), "--public-url="+public), row{"sign-in discovery", doctor.Warn, []string{want}})
		}
	})
}
