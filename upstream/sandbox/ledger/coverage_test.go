package ledger_test

import (
	"fmt"
	"strings"
	"testing"

	"pixgraph/upstream/sandbox/ledger"
)

// objects has the field tables of spec 2. A field is a name and a
// type; "!" marks the spec's Y, "?" a Y that may be null. A type is that of a
// JSON value (string, number, int for whole cents, iso, bool, object, any), an
// enum in capitals, another object, or a list of one of them.
var objects = map[string]string{
	"deposit": `id:uuid! acquirerCode:string acquirer:string! amount:int! paymentMethod:METHOD! webhookUrl:string
		externalCode:string paymentReceipt:receipt refundReceipt:receipt createdAt:iso! status:DEPOSIT!
		statusHistory:[]depositStatus! updatedAt:iso! amountPaid:int paymentDate:iso refundDate:iso refundAmount:int
		pixResponse:pixResponse! errorMessage:string errorMessageRefund:string endToEnd:string endToEndRefund:string
		payer:holder receiver:holder feeAmount:number depositOrigin:ORIGIN!`,
	"withdrawal": `id:uuid! acquirerCode:string acquirer:string! amount:int! method:METHOD! webhookUrl:string
		externalCode:string paymentReceipt:receipt refundReceipt:receipt createdAt:iso! status:WITHDRAWAL!
		statusHistory:[]withdrawalStatus! updatedAt:iso! amountWithdrawn:number processedDate:iso errorMessage:string
		endToEnd:string endToEndRefund:string refundDate:iso refundAmount:int payer:holder receiver:holder
		pixKey:pixKey feeAmount:number`,
	"transaction": `id:uuid! acquirerCode:string acquirer:string! amount:int! paymentMethod:METHOD! webhookUrl:string
		externalCode:string paymentReceipt:receipt refundReceipt:receipt customer:customer seller:seller
		isInfoProduct:bool! address:address items:[]item metadata:object createdAt:iso! status:TRANSACTION!
		statusHistory:[]transactionStatus! updatedAt:iso! amountPaid:int paymentDate:iso infractionDate:iso
		infractionAmount:int refundDate:iso refundAmount:int pixResponse:pixResponse! errorMessage:string
		errorMessageRefund:string endToEnd:string endToEndRefund:string payer:holder receiver:holder feeAmount:number`,
	"notification": `id:string! hash:string! tenant:string! url:string! referenceId:string! body:payload! tags:[]string!
		status:NOTIFICATION! statusHistory:[]notificationStatus! createdAt:iso! updatedAt:iso! executions:[]execution!
		error:string?`,
	"depositStatus":      `status:DEPOSIT! date:iso! durationInMilliseconds:number!`,
	"withdrawalStatus":   `status:WITHDRAWAL! date:iso! durationInMilliseconds:number!`,
	"transactionStatus":  `status:TRANSACTION! date:iso! durationInMilliseconds:number!`,
	"notificationStatus": `status:string! date:iso! durationInMilliseconds:number`,
	"execution":          `url:string! headers:object createdAt:iso! response:response! userId:string! storeId:string!`,
	"response":           `statusCode:int! body:any? responseTime:number!`,
	"pixResponse":        `uri:string! qrCodeBase64:string! expirationDate:string!`,
	"holder":             `type:HOLDER! name:string! document:string! bankAccount:bankAccount! pix:pixKey!`,
	"bankAccount":        `type:ACCOUNT! digit:string! ispb:string!`,
	"pixKey":             `key:string! type:KEY!`,
	"receipt":            `url:string! expirationDate:iso!`,
	"customer":           `ip:string name:string! email:contact document:document! landline:contact mobilePhone:contact`,
	"seller":             `name:string! document:document!`,
	"address": `zipCode:string! number:string! street:string! neighborhood:string! city:string! state:string!
		country:string! complement:string`,
	"item":           `title:string! unitPrice:int! quantity:number! description:string`,
	"documentObject": `value:string! type:DOCUMENT!`,
	"contactObject":  `value:string!`,
}

// enums are those of spec 3 and 2.5. The last two are plain strings
// in the spec: they are the values that this ledger uses.
var enums = map[string]string{
	"METHOD": "PIX",
	"DEPOSIT": "PENDING PIX_QRCODE_GENERATED PAID PROCESSING_REFUND PROCESSING_INFRACTION REFUNDED INFRACTION FAILED " +
		"BLOCKED DEPOSIT_PIXKEY_GENERATED PENDING_COMPLIANCE",
	"WITHDRAWAL": "PENDING PROCESSING PROCESSED FAILED CANCELED REFUNDED REJECTED PENDING_COMPLIANCE",
	"TRANSACTION": "PENDING PIX_QRCODE_GENERATED PAID PROCESSING_REFUND PROCESSING_INFRACTION REFUNDED INFRACTION FAILED " +
		"BLOCKED",
	"NOTIFICATION": "RECEIVED SENT FAILED ERROR",
	"ORIGIN":       "QRCODE PIX_KEY",
	"HOLDER":       "PF PJ",
	"KEY":          "CPF CNPJ EMAIL PHONE EVP",
	"DOCUMENT":     "CPF CNPJ",
	"ACCOUNT":      "CACC SVGS TRAN SLRY",
}

// shapes are the JSON types that must occur for a field with several types.
var shapes = map[string]string{
	"customer.document":    "object string",
	"customer.email":       "absent null object string",
	"customer.landline":    "absent null object string",
	"customer.mobilePhone": "absent null object string",
	"seller.document":      "object string",
	"notification.body":    "object string",
	"notification.error":   "null string",
	"response.body":        "array bool null number object string",
}

func TestRecordsFollowAndCoverTheSpec(t *testing.T) {
	tests := []struct {
		name    string
		records map[ledger.Kind][]map[string]any
	}{
		{"default seed", sharedRecords()},
		{"another seed, a few records", decodeAll(ledger.New(ledger.Config{Seed: 20260630, Records: 300}))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := &census{seen: map[string]map[string]int{}}
			for kind, records := range tt.records {
				for i, r := range records {
					c.object(fmt.Sprint(kind, " ", i), kind.String(), r)
				}
			}
			for _, err := range c.errs {
				t.Error(err)
			}
			for name, fields := range objects {
				for _, field := range strings.Fields(fields) {
					field, typ, _ := strings.Cut(field, ":")
					what := name + "." + field
					if strings.HasSuffix(typ, "!") || strings.HasSuffix(typ, "?") || shapes[what] != "" {
						continue
					}
					got := c.seen[what]
					if got["absent"] == 0 || got["null"] == 0 || len(got) < 3 {
						t.Errorf("%s occurs as %v, want absent, null and present", what, got)
					}
				}
			}
			for what, want := range shapes {
				if got := keys(c.seen[what]); got != want {
					t.Errorf("%s occurs as %q, want %q", what, got, want)
				}
			}
			for name, values := range enums {
				for _, value := range strings.Fields(values) {
					if c.seen[name][value] == 0 {
						t.Errorf("%s: %s does not occur", name, value)
					}
				}
			}
		})
	}
}
