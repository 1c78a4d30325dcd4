package upstream_test

import (
	"fmt"
	"strings"
	"testing"

	"pixgraph/upstream"
)

// bigDeposit returns a deposit of 5 KB, as large as real ones. Most of it is the QR code.
func bigDeposit() string {
	const small = `{"id":"0b8f1f0e-5a3c-4d57-9a63-0f7f7a1c2d01","acquirer":"GENIAL","amount":150000,"paymentMethod":"PIX",` +
		`"createdAt":"2026-01-31T12:00:00.000Z","status":"PAID","statusHistory":[` +
		`{"status":"PENDING","date":"2026-01-31T12:00:00.000Z","durationInMilliseconds":812},` +
		`{"status":"PAID","date":"2026-01-31T12:00:00.812Z","durationInMilliseconds":0}],` +
		`"updatedAt":"2026-01-31T12:00:00.812Z","amountPaid":150000,"endToEnd":"E1823612020260131120000000000001",` +
		`"payer":{"type":"PF","name":"Maria da Conceição","document":"***.456.789-**",` +
		`"bankAccount":{"type":"CACC","digit":"7","ispb":"18236120"},"pix":{"key":"maria@correio.example","type":"EMAIL"}},` +
		`"feeAmount":12.50,"depositOrigin":"QRCODE","pixResponse":{"uri":"00020126580014br.gov.bcb.pix0136123e4567",` +
		`"expirationDate":"2026-01-31T13:00:00.000Z","qrCodeBase64":"data:image/png;base64,%s"}}`
	return fmt.Sprintf(small, strings.Repeat("iVBORw0K", (5<<10-len(small))/8))
}

func bigPage() string {
	record := bigDeposit()
	return `{"total":100,"totalPages":1,"currentPage":1,"perPage":100,"data":[` + strings.Repeat(record+",", 99) + record + `]}`
}

func BenchmarkIndexDeposit(b *testing.B) {
	raw := []byte(bigDeposit())
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if members, err := upstream.Index(raw); err != nil || members < 10 {
			b.Fatal(members, err)
		}
	}
}

func BenchmarkDecodePage(b *testing.B) {
	raw := []byte(bigPage())
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if page, err := upstream.DecodePage[upstream.Deposit](raw); err != nil || len(page.Records) != 100 {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadPage also decodes each record and reads six of its fields.
func BenchmarkReadPage(b *testing.B) {
	raw := []byte(bigPage())
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		page, err := upstream.DecodePage[upstream.Deposit](raw)
		if err != nil {
			b.Fatal(err)
		}
		for _, record := range page.Records {
			d, err := record.Decode()
			if err != nil {
				b.Fatal(err)
			}
			_, _ = d.ID()
			_, _ = d.Amount()
			_, _ = d.Status()
			_, _ = d.CreatedAt()
			_, _ = d.EndToEnd()
			_, _ = d.FeeAmount()
		}
	}
}
