package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"pixgraph/auth"
	"pixgraph/internal/netcause"
)

// discovery and discoveryOfAssistants check each resource of the gateway.
func (e *examination) discovery() Check { return e.discoveryOf(auth.GraphQLPath) }

func (e *examination) discoveryOfAssistants() Check {
	if !e.Settings.Assistants {
		return Check{}
	}
	return e.discoveryOf(auth.AssistantsPath)
}

// discoveryOf discovers the issuers as a client does that knows only the public URL: from a 401 to the metadata of the
// resource at a path (RFC 9728). No token is sent.
func (e *examination) discoveryOf(path string) Check {
	if e.Settings.PublicURL == "" {
		return Check{}
	}
	resource := auth.ResourceAt(e.Settings.PublicURL, path)
	issuers, err := e.discover(resource)
	switch {
	case err != nil:
		return warned(resource.URL+": "+err.Error(), "public_url must lead to a gateway with these settings, also for "+resource.MetadataURL())
	case !slices.Equal(issuers, e.Settings.Verified().Issuers):
		return failed("the metadata of "+resource.URL+" has the issuers "+strings.Join(issuers, ", "),
			"the gateway there has other settings: auth_issuer is "+strings.Join(e.Settings.Tokens.Issuers, ", "))
	case !resource.IsAudience(e.Settings.Tokens.Audiences) && len(issuers) > 0:
		return warned("clients that discover the issuers request tokens for "+resource.URL+", which auth_audience does not contain",
			"add it to auth_audience, if the issuer gives tokens the audience that clients request; the APIs must accept such tokens too")
	default:
		return passed("a 401 leads to " + resource.MetadataURL() + ", with " + plural(len(issuers), "issuer"))
	}
}

// metadataLink finds the parameter of a challenge.
var metadataLink = regexp.MustCompile(`resource_metadata="([^"]*)"`)

// discover returns the issuers in the metadata of a resource.
func (e *examination) discover(resource auth.Resource) ([]string, error) {
	status, header, _, err := e.fetch(resource.URL)
	if err != nil {
		return nil, err
	}
	link := metadataLink.FindStringSubmatch(strings.Join(header.Values("WWW-Authenticate"), ", "))
	switch {
	case status != http.StatusUnauthorized:
		return nil, fmt.Errorf("status %d without a token", status)
	case link == nil:
		return nil, errors.New("a 401 without resource_metadata")
	case link[1] != resource.MetadataURL():
		return nil, errors.New("a 401 that leads to " + link[1])
	}
	status, _, body, err := e.fetch(link[1])
	if err != nil {
		return nil, err
	}
	var metadata struct {
		Resource string   `json:"resource"`
		Issuers  []string `json:"authorization_servers"`
	}
	if status != http.StatusOK || json.Unmarshal(body, &metadata) != nil || metadata.Resource != resource.URL {
		return nil, fmt.Errorf("status %d and no metadata of this resource at %s", status, link[1])
	}
	return metadata.Issuers, nil
}

const (
	publicTimeout = 10 * time.Second
	maxMetadata   = 64 << 10
)

// fetch requests a public URL of the gateway, as a client on this machine.
func (e *examination) fetch(url string) (status int, header http.Header, body []byte, err error) {
	request, err := http.NewRequestWithContext(e.ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, nil, err
	}
	public := http.Client{Transport: e.Public, Timeout: publicTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := public.Do(request)
	if err != nil {
		return 0, nil, nil, fmt.Errorf("it cannot be reached from here: %w", netcause.Of(err))
	}
	defer response.Body.Close()
	body, err = io.ReadAll(io.LimitReader(response.Body, maxMetadata))
	return response.StatusCode, response.Header, body, err
}
