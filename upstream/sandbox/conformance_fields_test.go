package sandbox_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"
)

// shape checks a JSON value.
type shape func(raw json.RawMessage) error

// field is one row of a table of spec 2.
type field struct {
	name     string
	required bool
	nullable bool // "or null" in the spec for a required field
	shape    shape
}

// req, opt and null create the three types of rows. An optional field may be
// absent or null: spec 2 allows the first, spec 2.5 notes the
// second.
func req(name string, s shape) field { return field{name: name, required: true, shape: s} }
func opt(name string, s shape) field { return field{name: name, nullable: true, shape: s} }
func null(name string, s shape) field {
	return field{name: name, required: true, nullable: true, shape: s}
}

// objectOf is the shape of an object with these fields; other fields are ignored.
func objectOf(fields ...field) shape {
	return func(raw json.RawMessage) error {
		var o map[string]json.RawMessage
		if err := json.Unmarshal(raw, &o); err != nil || o == nil {
			return fmt.Errorf("is not an object")
		}
		for _, f := range fields {
			value, ok := o[f.name]
			switch {
			case !ok && f.required:
				return fmt.Errorf("%s is absent", f.name)
			case !ok, f.nullable && string(value) == "null":
				continue
			}
			if err := f.shape(value); err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
		}
		return nil
	}
}

func arrayOf(element shape) shape {
	return func(raw json.RawMessage) error {
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil || list == nil {
			return fmt.Errorf("is not an array")
		}
		for i, e := range list {
			if err := element(e); err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
		}
		return nil
	}
}

func stringShape(check func(string) bool, what string) shape {
	return func(raw json.RawMessage) error {
		var s string
		if string(raw) == "null" || json.Unmarshal(raw, &s) != nil || !check(s) {
			return fmt.Errorf("is not %s", what)
		}
		return nil
	}
}

func enum(values ...string) shape {
	return stringShape(func(s string) bool { return slices.Contains(values, s) }, "one of "+strings.Join(values, ", "))
}

func either(shapes ...shape) shape {
	return func(raw json.RawMessage) error {
		var err error
		for _, s := range shapes {
			if err = s(raw); err == nil {
				return nil
			}
		}
		return err
	}
}

var (
	str     = stringShape(func(string) bool { return true }, "string")
	iso     = stringShape(func(s string) bool { _, err := time.Parse(time.RFC3339, s); return err == nil }, "ISO date-time")
	anyJSON = shape(func(json.RawMessage) error { return nil })
	freeMap = objectOf()
	boolean = shape(func(raw json.RawMessage) error {
		if s := string(raw); s != "true" && s != "false" {
			return fmt.Errorf("is not a boolean")
		}
		return nil
	})
	number = shape(func(raw json.RawMessage) error {
		if len(raw) == 0 || !bytes.ContainsRune([]byte("-0123456789"), rune(raw[0])) {
			return fmt.Errorf("is not a number")
		}
		return nil
	})
	cents = shape(func(raw json.RawMessage) error {
		n, ok := new(big.Rat).SetString(string(raw))
		if number(raw) != nil || !ok || !n.IsInt() {
			return fmt.Errorf("is not an integer of cents")
		}
		return nil
	})
)

// The sub-objects of spec 2.5.
var (
	pixKeyVo      = objectOf(req("key", str), req("type", enum("CPF", "CNPJ", "EMAIL", "PHONE", "EVP")))
	receipt       = objectOf(req("url", str), req("expirationDate", iso))
	pixResponse   = objectOf(req("uri", str), req("qrCodeBase64", str), req("expirationDate", str))
	accountHolder = objectOf(req("type", enum("PF", "PJ")), req("name", str), req("document", str),
		req("bankAccount", objectOf(req("type", str), req("digit", str), req("ispb", str))), req("pix", pixKeyVo))
	document = either(str, objectOf(req("value", str), req("type", str)))
	contact  = either(str, freeMap)
	customer = objectOf(opt("ip", str), req("name", str), opt("email", contact), req("document", document),
		opt("landline", contact), opt("mobilePhone", contact))
	seller  = objectOf(req("name", str), req("document", document))
	address = objectOf(req("zipCode", str), req("number", str), req("street", str), req("neighborhood", str),
		req("city", str), req("state", str), req("country", str), opt("complement", str))
	item      = objectOf(req("title", str), req("unitPrice", cents), req("quantity", number), opt("description", str))
	execution = objectOf(req("url", str), opt("headers", freeMap), req("createdAt", iso), req("userId", str), req("storeId", str),
		req("response", objectOf(req("statusCode", number), null("body", anyJSON), req("responseTime", number))))
)

var (
	depositStatuses = []string{"PENDING", "PIX_QRCODE_GENERATED", "PAID", "PROCESSING_REFUND", "PROCESSING_INFRACTION",
		"REFUNDED", "INFRACTION", "FAILED", "BLOCKED", "DEPOSIT_PIXKEY_GENERATED", "PENDING_COMPLIANCE"}
	withdrawalStatuses = []string{"PENDING", "PROCESSING", "PROCESSED", "FAILED", "CANCELED", "REFUNDED", "REJECTED",
		"PENDING_COMPLIANCE"}
	transactionStatuses = []string{"PENDING", "PIX_QRCODE_GENERATED", "PAID", "PROCESSING_REFUND", "PROCESSING_INFRACTION",
		"REFUNDED", "INFRACTION", "FAILED", "BLOCKED"}
	notificationStatuses = []string{"RECEIVED", "SENT", "FAILED", "ERROR"}
)

// payment has the fields that deposits, withdrawals and transactions share.
func payment(statuses []string, fields ...field) shape {
	return objectOf(slices.Concat([]field{
		req("id", str), opt("acquirerCode", str), req("acquirer", str), req("amount", cents), opt("webhookUrl", str),
		opt("externalCode", str), opt("paymentReceipt", receipt), opt("refundReceipt", receipt), req("createdAt", iso),
		req("status", enum(statuses...)), req("updatedAt", iso), opt("refundDate", iso), opt("refundAmount", cents),
		req("statusHistory", arrayOf(objectOf(req("status", enum(statuses...)), req("date", iso), req("durationInMilliseconds", number)))),
		opt("errorMessage", str), opt("endToEnd", str), opt("endToEndRefund", str), opt("payer", accountHolder),
		opt("receiver", accountHolder), opt("feeAmount", number),
	}, fields)...)
}

// The resources of spec 2.1 to 2.4.
var (
	depositShape = payment(depositStatuses, req("paymentMethod", enum("PIX")), opt("amountPaid", cents), opt("paymentDate", iso),
		req("pixResponse", pixResponse), opt("errorMessageRefund", str), req("depositOrigin", enum("QRCODE", "PIX_KEY")))
	withdrawalShape = payment(withdrawalStatuses, req("method", enum("PIX")), opt("amountWithdrawn", number),
		opt("processedDate", iso), opt("pixKey", pixKeyVo))
	transactionShape = payment(transactionStatuses, req("paymentMethod", enum("PIX")), opt("customer", customer),
		opt("seller", seller), req("isInfoProduct", boolean), opt("address", address), opt("items", arrayOf(item)),
		opt("metadata", freeMap), opt("amountPaid", cents), opt("paymentDate", iso), opt("infractionDate", iso),
		opt("infractionAmount", cents), req("pixResponse", pixResponse), opt("errorMessageRefund", str))
	notificationShape = objectOf(req("id", str), req("hash", str), req("tenant", str), req("url", str), req("referenceId", str),
		req("body", either(str, freeMap)), req("tags", arrayOf(str)), req("status", enum(notificationStatuses...)),
		req("statusHistory", arrayOf(objectOf(req("status", str), req("date", iso), opt("durationInMilliseconds", number)))),
		req("createdAt", iso), req("updatedAt", iso), req("executions", arrayOf(execution)), null("error", str))
)
