package sandbox

import "net/http"

// notification handles spec 4.4, which has no 422: an id without a notification is 404, whatever its form.
func (s *Sandbox) notification(id string) answer {
	e, ok := s.ledger.Notification(id)
	if !ok {
		return problemAnswer(http.StatusNotFound, "notification not found")
	}
	return jsonAnswer(http.StatusOK, e.JSON())
}
