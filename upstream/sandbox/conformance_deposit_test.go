package sandbox_test

import "testing"

// deposits is spec 4.1.
func (c *conformance) deposits(t *testing.T) {
	address := c.core + "/deposit"
	t.Run("credentials", func(t *testing.T) { c.credentials(t, address, address+"?status=") })
	t.Run("records", func(t *testing.T) { c.records(t, address, depositShape) })
	t.Run("dates", func(t *testing.T) { c.validations(t, address, dateValidations) })
	t.Run("status", func(t *testing.T) {
		c.validations(t, address, listValidations("status", depositStatuses))
		c.filtersByList(t, address, "status", depositStatuses)
	})
	t.Run("status of withdrawals only", func(t *testing.T) {
		c.validations(t, address, []validation{{"CANCELED", "status=CANCELED", 422}, {"PROCESSED", "status=PAID&status=PROCESSED", 422}})
	})
	t.Run("depositOrigin", func(t *testing.T) {
		c.validations(t, address, listValidations("depositOrigin", []string{"QRCODE", "PIX_KEY"}))
		c.filtersByList(t, address, "depositOrigin", []string{"QRCODE", "PIX_KEY"})
	})
	t.Run("amounts", func(t *testing.T) {
		c.validations(t, address, amountValidations("1", "0"))
		c.filtersByAmount(t, address)
	})
	if c.sandbox != nil {
		t.Run("sandbox", func(t *testing.T) {
			c.lists(t, address, c.sandbox.Ledger().Deposits())
			c.pages(t, address, c.sandbox.Ledger().Deposits())
		})
	}
}
