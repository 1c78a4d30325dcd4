package sandbox

import (
	"net/http"

	"pixgraph/upstream/pix"
)

// deposits answers spec 4.1.
func (s *Sandbox) deposits(r *http.Request) answer {
	return s.list(r, s.depositTable, s.ledger.Deposits())
}

// withdrawals answers spec 4.2.
func (s *Sandbox) withdrawals(r *http.Request) answer {
	return s.list(r, s.withdrawalTable, s.ledger.Withdrawals())
}

// transaction answers spec 4.3: any UUID version in either case, 422 for what
// is none.
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

// notification answers spec 4.4, which lists no 422: what is no notification's
// id is 404, whatever its form.
func (s *Sandbox) notification(id string) answer {
	e, ok := s.ledger.Notification(id)
	if !ok {
		return problemAnswer(http.StatusNotFound, "notification not found")
	}
	return jsonAnswer(http.StatusOK, e.JSON())
}
