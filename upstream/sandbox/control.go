package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// controlBase is the path of the control route on the core listener.
const controlBase = "/_sandbox/"

// maxControlBody holds a fault with the body of a full page.
const maxControlBody = 4 << 20

// control serves the control route (see the package comment).
func (s *Sandbox) control() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+controlBase+"faults", s.addFault)
	mux.HandleFunc("DELETE "+controlBase+"faults", func(w http.ResponseWriter, _ *http.Request) {
		s.faults.remove(func(*activeFault) bool { return true })
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET "+controlBase+"calls", s.listCalls)
	mux.HandleFunc("DELETE "+controlBase+"calls", func(w http.ResponseWriter, _ *http.Request) {
		s.ResetCalls()
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("POST "+controlBase+"step", func(w http.ResponseWriter, _ *http.Request) {
		s.ledger.Step()
		w.WriteHeader(http.StatusNoContent)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A web page can reach loopback through a browser, with a form or with
		// a name that resolves to it. These checks reject both.
		if r.Host != s.coreHost && r.Host != "localhost:"+s.corePort || r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "" {
			writeJSON(w, http.StatusForbidden, problem{StatusCode: http.StatusForbidden, Message: "not for browsers, and only at the loopback address"})
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// faultForm is the JSON form of a Fault: durations are strings such as
// "100ms", the body is a string. Match, Gate and Mutate have no JSON form.
type faultForm struct {
	Service     string      `json:"service"`
	Route       string      `json:"route"`
	ID          string      `json:"id"`
	Token       string      `json:"token"`
	After       int         `json:"after"`
	Times       int         `json:"times"`
	Latency     string      `json:"latency"`
	Status      int         `json:"status"`
	Header      http.Header `json:"header"`
	Body        *string     `json:"body"`
	ContentType string      `json:"contentType"`
	Kind        FaultKind   `json:"kind"`
	Size        int64       `json:"size"`
	Interval    string      `json:"interval"`
	Location    string      `json:"location"`
}

func (s *Sandbox) addFault(w http.ResponseWriter, r *http.Request) {
	f, err := readFault(http.MaxBytesReader(w, r.Body, maxControlBody))
	if err != nil {
		writeJSON(w, http.StatusBadRequest, problem{StatusCode: http.StatusBadRequest, Message: err.Error()})
		return
	}
	s.Inject(f)
	w.WriteHeader(http.StatusCreated)
}

// readFault rejects unknown members, so that a misspelt member does not give a fault that matches all calls.
func readFault(r io.Reader) (Fault, error) {
	var form faultForm
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&form); err != nil {
		return Fault{}, fmt.Errorf("read fault: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Fault{}, errors.New("read fault: more than one value")
	}
	f := Fault{
		Service: form.Service, Route: form.Route, ID: form.ID, Token: form.Token,
		After: form.After, Times: form.Times,
		Status: form.Status, Header: make(http.Header), ContentType: form.ContentType,
		Kind: form.Kind, Size: form.Size, Location: form.Location,
	}
	for name, values := range form.Header {
		for _, v := range values {
			f.Header.Add(name, v)
		}
	}
	if form.Body != nil {
		f.Body = []byte(*form.Body)
	}
	var errs [2]error
	f.Latency, errs[0] = duration("latency", form.Latency)
	f.Interval, errs[1] = duration("interval", form.Interval)
	return f, errors.Join(append(errs[:], f.validate())...)
}

func duration(member, text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%s must be a duration such as 100ms", member)
	}
	return d, nil
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

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a closed connection is not a failure of the sandbox
}
