package sandbox

import "net/http"

// notification answers spec 4.4, which lists no 422: what is no notification's
// id is 404, whatever its form.
func (s *Sandbox) notification(id string) answer {
	e, ok := s.ledger.Notification(id)
	if !ok {
		return problemAnswer(http.StatusNotFound, "notification not found")
	}
	return jsonAnswer(http.StatusOK, e.JSON())
}
