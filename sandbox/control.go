package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"pixgraph/sandbox/issuer"
)

// Path is the path of the routes for people and tools, and issuerPath that of the issuer below it.
const (
	Path       = "/sandbox"
	issuerPath = "/issuer"
)

// route is a route below Path.
type route struct {
	method, path, about string
	serve               http.HandlerFunc
}

// controls are the routes other than the issuer's.
func (s *Sandbox) controls() []route {
	return []route{
		{http.MethodGet, "/token", "a token, as text; ?persona= ?scope= ?ttl= ?subject= choose another one", s.issuer.ServeText},
		{http.MethodGet, "/faults", "the faults of the REST APIs", s.listFaults},
		{http.MethodPost, "/faults", `add a fault, such as {"route":"deposit","status":503}`, s.addFault},
		{http.MethodDelete, "/faults", "end all faults", acting(s.endFaults)},
		{http.MethodGet, "/calls", "the calls made to the REST APIs", s.listCalls},
		{http.MethodDelete, "/calls", "forget the calls", acting(s.ResetCalls)},
		{http.MethodPost, "/step", "move the open payments to their next status", acting(s.ledger.Step)},
		{http.MethodDelete, "/step", "let the open payments rest: then only POST moves them", acting(s.restPayments)},
		{http.MethodPost, "/records/{id}", "change a record now: ?status=PAID", s.setStatus},
		{http.MethodPost, "/webhooks", `deliver changes to {"url":"http://localhost:8080/nudge/…"}`, s.setWebhooks},
		{http.MethodDelete, "/webhooks", "deliver no more changes", acting(func() { s.ledger.OnChange(nil) })},
		{http.MethodGet, "/samples", "the ids of instructive records", s.listSamples},
	}
}

// control serves the routes below Path, and a list of them at Path.
func (s *Sandbox) control() http.Handler {
	mux := http.NewServeMux()
	var list strings.Builder
	fmt.Fprintf(&list, "The routes of the sandbox, at %s:\n\n", s.URL())
	for _, r := range s.controls() {
		mux.HandleFunc(r.method+" "+Path+r.path, r.serve)
		fmt.Fprintf(&list, "  %-6s  %-13s  %s\n", r.method, r.path, r.about)
	}
	fmt.Fprintf(&list, "\nThe OIDC issuer: %s\nThe REST APIs:   %s\n                 %s\n",
		strings.Join(s.issuer.URLs(), "\n                 "), s.coreURL, s.dispatcherURL)
	index := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(list.String()))
	}
	mux.HandleFunc("GET "+Path, index)
	mux.HandleFunc("GET "+Path+"/{$}", index)
	mux.Handle(Path+issuerPath+"/", s.issuer)
	mux.Handle(issuer.PathServer+Path+issuerPath, s.issuer)
	return mux
}

// acting serves a route that does something and has no response.
func acting(act func()) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		act()
		w.WriteHeader(http.StatusNoContent)
	}
}

func (s *Sandbox) endFaults() { s.faults.remove(func(*activeFault) bool { return true }) }

// restPayments returns when no step is in progress any more.
func (s *Sandbox) restPayments() {
	select {
	case s.rest <- struct{}{}:
	case <-s.stopped:
	}
}

func (s *Sandbox) listSamples(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, s.Samples())
}

// callForm is the JSON form of a Call. It contains no token and no header value.
type callForm struct {
	Service string     `json:"service"`
	Method  string     `json:"method"`
	Path    string     `json:"path"`
	Query   string     `json:"query"`
	Bearer  string     `json:"bearerSHA256"` // hex; "" without a bearer
	Status  int        `json:"status"`
	Started time.Time  `json:"startedAt"`
	Ended   *time.Time `json:"endedAt"` // null while open
}

func (s *Sandbox) listCalls(w http.ResponseWriter, _ *http.Request) {
	calls := s.Calls()
	forms := make([]callForm, len(calls))
	for i, c := range calls {
		forms[i] = callForm{Service: c.Service, Method: c.Method, Path: c.Path, Query: c.RawQuery, Status: c.Status, Started: c.Started}
		if token, ok := bearer(c.Header); ok {
			sum := sha256.Sum256([]byte(token))
			forms[i].Bearer = hex.EncodeToString(sum[:])
		}
		if !c.Ended.IsZero() {
			forms[i].Ended = &c.Ended
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"calls": forms})
}

func writeProblem(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, problem{StatusCode: status, Message: message})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a closed connection is not a failure of the sandbox
}
