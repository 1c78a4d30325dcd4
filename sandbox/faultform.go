package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// maxFault bounds the JSON form of a fault, in bytes. It is more than twice a page of 100 deposits.
const maxFault = 1 << 20

// maxFaults bounds the faults that clients on the same machine can add, which are held until DELETE: 100 MiB at most.
// maxHeaderValues bounds the headers of one, whose values take many times the memory of their JSON.
const maxFaults, maxHeaderValues = 100, 100

// faultForm is the JSON form of a Fault: durations are strings such as
// "100ms", the body is a string. Match, Gate and Mutate have no JSON form.
type faultForm struct {
	Fault
	Latency, Interval string
	Body              *string
}

// addFault adds a fault, and responds with all faults that are in force.
func (s *Sandbox) addFault(w http.ResponseWriter, r *http.Request) {
	f, err := readFault(http.MaxBytesReader(w, r.Body, maxFault))
	if err != nil {
		writeProblem(w, http.StatusBadRequest, err.Error())
		return
	}
	if s.faults.count() >= maxFaults {
		writeProblem(w, http.StatusConflict, fmt.Sprintf("there are %d faults: end them with DELETE first", maxFaults))
		return
	}
	s.Inject(f)
	s.writeFaults(w, http.StatusCreated)
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
	f, count := form.Fault, 0
	f.Header = make(http.Header)
	for name, values := range form.Header {
		if count += 1 + len(values); count > maxHeaderValues {
			return Fault{}, fmt.Errorf("header must have at most %d names and values", maxHeaderValues)
		}
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

// shownFault is a fault in the list: which calls it matches, and how many it has matched. The list
// has no token, header and body.
type shownFault struct {
	Service string    `json:"service,omitempty"`
	Route   string    `json:"route,omitempty"`
	ID      string    `json:"id,omitempty"`
	After   int       `json:"after,omitempty"`
	Times   int       `json:"times,omitempty"`
	Latency string    `json:"latency,omitempty"`
	Status  int       `json:"status,omitempty"`
	Kind    FaultKind `json:"kind,omitempty"`
	Matched int       `json:"matched"`
}

func (s *Sandbox) listFaults(w http.ResponseWriter, _ *http.Request) { s.writeFaults(w, http.StatusOK) }

func (s *Sandbox) writeFaults(w http.ResponseWriter, status int) {
	s.faults.mu.Lock()
	shown := make([]shownFault, len(s.faults.list))
	for i, f := range s.faults.list {
		shown[i] = shownFault{
			Service: f.Service, Route: f.Route, ID: f.ID, After: f.After, Times: f.Times, Status: f.Status, Kind: f.Kind, Matched: f.seen,
		}
		if f.Latency > 0 {
			shown[i].Latency = f.Latency.String()
		}
	}
	s.faults.mu.Unlock()
	writeJSON(w, status, map[string]any{"faults": shown})
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
