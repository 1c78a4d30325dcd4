package sandbox

import (
	"net/http"

	"pixgraph/upstream/pix"
)

// transaction handles spec 4.3: any UUID version in either case, and 422 for an id that is not a UUID.
func (s *Sandbox) transaction(r *http.Request, id string) answer {
	var broken []violation
	if !pix.ValidUUID(id) {
		broken = append(broken, violation{"id", "must be a UUID"})
	}
	_, more := readQuery(r.URL.RawQuery, nil, s.cfg.StrictQuery)
	if broken = append(broken, more...); len(broken) > 0 {
		return problemAnswer(http.StatusUnprocessableEntity, "validation failed", broken...)
	}
	e, ok := s.ledger.Transaction(id)
	if !ok {
		return problemAnswer(http.StatusNotFound, "transaction not found")
	}
	return jsonAnswer(http.StatusOK, e.JSON())
}
