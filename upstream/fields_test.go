package upstream_test

import (
	"reflect"
	"strings"
	"testing"

	"pixgraph/upstream"
)

// recordType is one type with accessors: its table of fields, and the location of a sample in testdata.
type recordType struct {
	name   string
	typ    reflect.Type
	decode func([]byte) (any, error)
	sample string   // file in testdata: sample.full.json; also sample.minimal.json if path is empty
	path   []string // the members and indexes that lead to the sample
	table  string   // rows of accessor, member, kind, presence
}

func typeOf[T upstream.Resource](sample, path, table string) recordType {
	typ := reflect.TypeFor[T]()
	name, _, _ := strings.Cut(typ.Name(), "[")
	return recordType{
		name, typ, func(raw []byte) (any, error) { return upstream.Decode[T](raw) }, sample, strings.Fields(path), table,
	}
}

// field is one row of a table.
type field struct {
	accessor, member string
	kind             string // text enum cents decimal int32 bool json contact document part parts texts
	presence         string // Y: required; N: may be absent or null; Y?: required by the spec, but accepted if absent or null
}

func (r recordType) fields(t *testing.T) []field {
	t.Helper()
	var list []field
	for row := range strings.Lines(strings.TrimSpace(r.table)) {
		cells := strings.Fields(row)
		if len(cells) != 4 {
			t.Fatalf("%s: row %q does not have four cells", r.name, row)
		}
		list = append(list, field{cells[0], cells[1], cells[2], cells[3]})
	}
	return list
}

// recordTypes returns the field tables of spec 2.1 to 2.5, as this package reads them.
func recordTypes() []recordType {
	const history = `
		Status                 status                 enum    Y
		StatusRaw              status                 text    Y
		Date                   date                   text    Y
		DurationInMilliseconds durationInMilliseconds decimal Y`
	return []recordType{
		typeOf[upstream.Deposit]("deposit", "", `
			ID                 id                 text    Y
			AcquirerCode       acquirerCode       text    N
			Acquirer           acquirer           text    Y
			Amount             amount             cents   Y
			PaymentMethod      paymentMethod      enum    Y
			PaymentMethodRaw   paymentMethod      text    Y
			WebhookURL         webhookUrl         text    N
			ExternalCode       externalCode       text    N
			PaymentReceipt     paymentReceipt     part    N
			RefundReceipt      refundReceipt      part    N
			CreatedAt          createdAt          text    Y
			Status             status             enum    Y
			StatusRaw          status             text    Y
			StatusHistory      statusHistory      parts   Y
			UpdatedAt          updatedAt          text    Y
			AmountPaid         amountPaid         cents   N
			PaymentDate        paymentDate        text    N
			RefundDate         refundDate         text    N
			RefundAmount       refundAmount       cents   N
			PixResponse        pixResponse        part    Y?
			ErrorMessage       errorMessage       text    N
			ErrorMessageRefund errorMessageRefund text    N
			EndToEnd           endToEnd           text    N
			EndToEndRefund     endToEndRefund     text    N
			Payer              payer              part    N
			Receiver           receiver           part    N
			FeeAmount          feeAmount          decimal N
			DepositOrigin      depositOrigin      enum    Y
			DepositOriginRaw   depositOrigin      text    Y`),
		typeOf[upstream.Withdrawal]("withdrawal", "", `
			ID              id              text    Y
			AcquirerCode    acquirerCode    text    N
			Acquirer        acquirer        text    Y
			Amount          amount          cents   Y
			Method          method          enum    Y
			MethodRaw       method          text    Y
			WebhookURL      webhookUrl      text    N
			ExternalCode    externalCode    text    N
			PaymentReceipt  paymentReceipt  part    N
			RefundReceipt   refundReceipt   part    N
			CreatedAt       createdAt       text    Y
			Status          status          enum    Y
			StatusRaw       status          text    Y
			StatusHistory   statusHistory   parts   Y
			UpdatedAt       updatedAt       text    Y
			AmountWithdrawn amountWithdrawn decimal N
			ProcessedDate   processedDate   text    N
			ErrorMessage    errorMessage    text    N
			EndToEnd        endToEnd        text    N
			EndToEndRefund  endToEndRefund  text    N
			RefundDate      refundDate      text    N
			RefundAmount    refundAmount    cents   N
			Payer           payer           part    N
			Receiver        receiver        part    N
			PixKey          pixKey          part    N
			FeeAmount       feeAmount       decimal N`),
		typeOf[upstream.Transaction]("transaction", "", `
			ID                 id                 text    Y
			AcquirerCode       acquirerCode       text    N
			Acquirer           acquirer           text    Y
			Amount             amount             cents   Y
			PaymentMethod      paymentMethod      enum    Y
			PaymentMethodRaw   paymentMethod      text    Y
			WebhookURL         webhookUrl         text    N
			ExternalCode       externalCode       text    N
			PaymentReceipt     paymentReceipt     part    N
			RefundReceipt      refundReceipt      part    N
			Customer           customer           part    N
			Seller             seller             part    N
			IsInfoProduct      isInfoProduct      bool    Y
			Address            address            part    N
			Items              items              parts   N
			Metadata           metadata           json    N
			CreatedAt          createdAt          text    Y
			Status             status             enum    Y
			StatusRaw          status             text    Y
			StatusHistory      statusHistory      parts   Y
			UpdatedAt          updatedAt          text    Y
			AmountPaid         amountPaid         cents   N
			PaymentDate        paymentDate        text    N
			InfractionDate     infractionDate     text    N
			InfractionAmount   infractionAmount   cents   N
			RefundDate         refundDate         text    N
			RefundAmount       refundAmount       cents   N
			PixResponse        pixResponse        part    Y?
			ErrorMessage       errorMessage       text    N
			ErrorMessageRefund errorMessageRefund text    N
			EndToEnd           endToEnd           text    N
			EndToEndRefund     endToEndRefund     text    N
			Payer              payer              part    N
			Receiver           receiver           part    N
			FeeAmount          feeAmount          decimal N`),
		typeOf[upstream.Notification]("notification", "", `
			ID            id            text  Y
			Hash          hash          text  Y
			Tenant        tenant        text  Y
			URL           url           text  Y
			ReferenceID   referenceId   text  Y
			Body          body          json  Y
			Tags          tags          texts Y
			Status        status        enum  Y
			StatusRaw     status        text  Y
			StatusHistory statusHistory parts Y
			CreatedAt     createdAt     text  Y
			UpdatedAt     updatedAt     text  Y
			Executions    executions    parts Y
			Error         error         text  Y?`),
		typeOf[upstream.DepositStatusHistory]("deposit", "statusHistory 1", history),
		typeOf[upstream.WithdrawalStatusHistory]("withdrawal", "statusHistory 0", history),
		typeOf[upstream.TransactionStatusHistory]("transaction", "statusHistory 0", history),
		typeOf[upstream.NotificationStatusHistory]("notification", "statusHistory 1", `
			Status                 status                 text    Y
			Date                   date                   text    Y
			DurationInMilliseconds durationInMilliseconds decimal N`),
		typeOf[upstream.Execution]("notification", "executions 0", `
			URL       url       text Y
			Headers   headers   json N
			CreatedAt createdAt text Y
			Response  response  part Y
			UserID    userId    text Y
			StoreID   storeId   text Y`),
		typeOf[upstream.ExecutionResponse]("notification", "executions 0 response", `
			StatusCode   statusCode   int32   Y
			Body         body         json    Y?
			ResponseTime responseTime decimal Y`),
		typeOf[upstream.PixResponse]("deposit", "pixResponse", `
			URI            uri            text Y
			QRCodeBase64   qrCodeBase64   text Y
			ExpirationDate expirationDate text Y`),
		typeOf[upstream.AccountHolder]("deposit", "payer", `
			Type        type        enum Y
			TypeRaw     type        text Y
			Name        name        text Y
			Document    document    text Y
			BankAccount bankAccount part Y
			Pix         pix         part Y`),
		typeOf[upstream.BankAccount]("deposit", "payer bankAccount", `
			Type  type  text Y
			Digit digit text Y
			ISPB  ispb  text Y`),
		typeOf[upstream.PixKey]("withdrawal", "pixKey", `
			Key     key  text Y
			Type    type enum Y
			TypeRaw type text Y`),
		typeOf[upstream.PaymentReceipt]("deposit", "paymentReceipt", `
			URL            url            text Y
			ExpirationDate expirationDate text Y`),
		typeOf[upstream.Customer]("transaction", "customer", `
			IP          ip          text     N
			Name        name        text     Y
			Email       email       contact  N
			Document    document    document Y
			Landline    landline    contact  N
			MobilePhone mobilePhone contact  N`),
		typeOf[upstream.Seller]("transaction", "seller", `
			Name     name     text     Y
			Document document document Y`),
		typeOf[upstream.Address]("transaction", "address", `
			ZipCode      zipCode      text Y
			Number       number       text Y
			Street       street       text Y
			Neighborhood neighborhood text Y
			City         city         text Y
			State        state        text Y
			Country      country      text Y
			Complement   complement   text N`),
		typeOf[upstream.Item]("transaction", "items 0", `
			Title       title       text    Y
			UnitPrice   unitPrice   cents   Y
			Quantity    quantity    decimal Y
			Description description text    N`),
	}
}
