package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"pixgraph/sandbox/issuer"
	"pixgraph/sandbox/ledger"
)

// webhooks delivers the changes of payments to one URL. The spec shows no payload (spec 6): what it sends is our
// choice.
//
// It holds at most queuedWebhooks changes, which Step, SetStatus and the clients of this machine cause. Delivery
// empties it; a change that finds it full is dropped, and none is delivered twice.
type webhooks struct {
	queue  chan webhook
	client http.Client
}

const (
	queuedWebhooks = 256
	webhookTimeout = 5 * time.Second
)

func newWebhooks(cfg Config) *webhooks {
	h := &webhooks{queue: make(chan webhook, queuedWebhooks)}
	h.client.Transport = &http.Transport{DialContext: cfg.Dial}
	// A redirect could lead to another machine.
	h.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return h
}

// webhook is a change and the URL to send it to.
type webhook struct {
	to string
	ledger.Change
}

// statusForm restricts the statuses that can be set, also to ones that the spec does not list.
var statusForm = regexp.MustCompile(`^[A-Z][A-Z_]{0,63}$`)

// setStatus changes one record now.
func (s *Sandbox) setStatus(w http.ResponseWriter, r *http.Request) {
	status := r.URL.Query().Get("status")
	switch {
	case !statusForm.MatchString(status):
		writeProblem(w, http.StatusBadRequest, "?status= must be a status such as PAID")
	case !s.ledger.SetStatus(r.PathValue("id"), status):
		writeProblem(w, http.StatusNotFound, "no transaction, deposit or withdrawal has this id")
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// setWebhooks begins to deliver changes to a URL of this machine.
func (s *Sandbox) setWebhooks(w http.ResponseWriter, r *http.Request) {
	var form struct {
		URL string `json:"url"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 4<<10)).Decode(&form); err != nil {
		writeProblem(w, http.StatusBadRequest, `the body must be {"url":"http://localhost:8080/nudge/…"}`)
		return
	}
	to, err := url.Parse(form.URL)
	if err != nil || to.Scheme != "http" || !issuer.Loopback(to) {
		writeProblem(w, http.StatusBadRequest, "url must be an http URL of this machine")
		return
	}
	s.ledger.OnChange(func(changes []ledger.Change) {
		for _, change := range changes {
			select {
			case s.webhooks.queue <- webhook{to.String(), change}:
			default:
			}
		}
	})
	w.WriteHeader(http.StatusNoContent)
}

// deliverWebhooks delivers changes until the sandbox is closed.
func (s *Sandbox) deliverWebhooks(ctx context.Context) {
	for {
		select {
		case next := <-s.webhooks.queue:
			if err := s.webhooks.deliver(ctx, next); err != nil {
				s.cfg.Log.Warn("sandbox: a webhook was not delivered") // the cause has the URL, which may contain a secret
			}
		case <-ctx.Done():
			return
		}
	}
}

func (h *webhooks) deliver(ctx context.Context, next webhook) error {
	ctx, cancel := context.WithTimeout(ctx, webhookTimeout)
	defer cancel()
	body, err := json.Marshal(map[string]any{
		"type": next.Kind.String(), "data": map[string]string{"id": next.ID, "status": next.Status},
	})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, next.to, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", jsonType)
	resp, err := h.client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
