package ledger_test

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"pixgraph/sandbox/ledger"
	"pixgraph/upstream/pix"
)

// eachObject calls f for every object in v that has the field.
func eachObject(v any, field string, f func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		if _, ok := v[field]; ok {
			f(v)
		}
		for _, member := range v {
			eachObject(member, field, f)
		}
	case []any:
		for _, element := range v {
			eachObject(element, field, f)
		}
	}
}

func TestBRCodes(t *testing.T) {
	static, dynamic := 0, 0
	for _, kind := range []ledger.Kind{ledger.Deposit, ledger.Transaction} {
		for i, r := range sharedRecords()[kind] {
			response := r["pixResponse"].(map[string]any)
			code := pix.ParseBRCode(response["uri"].(string))
			if len(code.Problems) > 0 {
				t.Fatalf("%s %d: %v", kind, i, code.Problems)
			}
			if entry := lists(shared())[kind][i]; code.Cents != entry.Amount {
				t.Errorf("%s %d: the code has %d cents, the record %d", kind, i, code.Cents, entry.Amount)
			}
			byKey := r["depositOrigin"] == "PIX_KEY"
			if (code.Key != "") != byKey || code.OneTime == byKey {
				t.Errorf("%s %d: code %+v, origin %v", kind, i, code, r["depositOrigin"])
			}
			if !byKey && !strings.HasPrefix(code.URL, "pix.example.com/") {
				t.Errorf("%s %d: the charge is at %s", kind, i, code.URL)
			}
			if byKey {
				static++
			} else {
				dynamic++
			}
		}
	}
	if static == 0 || dynamic == 0 {
		t.Errorf("%d static and %d dynamic codes", static, dynamic)
	}
}

func TestQRImagesDecodeToTheirCode(t *testing.T) {
	for _, kind := range []ledger.Kind{ledger.Deposit, ledger.Transaction} {
		records := sharedRecords()[kind]
		for i := 0; i < len(records); i += 50 {
			response := records[i]["pixResponse"].(map[string]any)
			data, ok := strings.CutPrefix(response["qrCodeBase64"].(string), "data:image/png;base64,")
			if !ok {
				t.Fatalf("%s %d: not a data URI of a PNG", kind, i)
			}
			file, err := base64.StdEncoding.Strict().DecodeString(data)
			if err != nil {
				t.Fatal(err)
			}
			image, err := png.Decode(bytes.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			bitmap, err := gozxing.NewBinaryBitmapFromImage(image)
			if err != nil {
				t.Fatal(err)
			}
			result, err := qrcode.NewQRCodeReader().Decode(bitmap, nil)
			if err != nil {
				t.Fatalf("%s %d: %v", kind, i, err)
			}
			if got := result.GetText(); got != response["uri"] {
				t.Errorf("%s %d: the image contains %s, uri is %s", kind, i, got, response["uri"])
			}
		}
	}
}

func TestPixKeysHaveTheirType(t *testing.T) {
	alphanumeric := 0
	for _, records := range sharedRecords() {
		for _, r := range records {
			eachObject(r, "key", func(o map[string]any) {
				key := o["key"].(string)
				if got, ok := pix.KeyTypeOf(key); !ok || string(got) != o["type"] {
					t.Errorf("key %s has type %q in the record, and %q in package pix", key, o["type"], got)
				}
				if o["type"] == "CNPJ" && strings.ContainsAny(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
					alphanumeric++
				}
			})
		}
	}
	if alphanumeric == 0 {
		t.Error("no alphanumeric CNPJ")
	}
}

func TestDocuments(t *testing.T) {
	forms := map[string]*regexp.Regexp{
		"masked CPF":     regexp.MustCompile(`^\*{3}\.\d{3}\.\d{3}-\*{2}$`),
		"masked CNPJ":    regexp.MustCompile(`^\*{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}/\*{4}-\*{2}$`),
		"formatted CPF":  regexp.MustCompile(`^\d{3}\.\d{3}\.\d{3}-\d{2}$`),
		"formatted CNPJ": regexp.MustCompile(`^[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}/0001-\d{2}$`),
		"CPF":            regexp.MustCompile(`^\d{11}$`),
		"CNPJ":           regexp.MustCompile(`^[0-9A-Z]{12}\d{2}$`),
	}
	seen := map[string]int{}
	check := func(text, typ string) {
		for name, form := range forms {
			if !form.MatchString(text) || typ != "" && !strings.HasSuffix(name, typ) {
				continue
			}
			seen[name]++
			plain := strings.NewReplacer(".", "", "-", "", "/", "").Replace(text)
			if !strings.Contains(text, "*") && !pix.ValidKey(plain) {
				t.Errorf("document %s has invalid check digits", text)
			}
			return
		}
		t.Errorf("document %q of type %q has no known form", text, typ)
	}
	types := map[any]string{"PF": "CPF", "PJ": "CNPJ"}
	for _, records := range sharedRecords() {
		for _, r := range records {
			eachObject(r, "document", func(o map[string]any) {
				switch d := o["document"].(type) {
				case string:
					check(d, types[o["type"]])
				case map[string]any:
					check(d["value"].(string), d["type"].(string))
				}
			})
		}
	}
	if len(seen) != len(forms) {
		t.Errorf("forms seen: %v", seen)
	}
}

// isEndToEnd reports whether a text is an EndToEndId of a kind.
func isEndToEnd(kind pix.EndToEndKind, text string) bool {
	id := pix.ParseEndToEndID(text)
	return id.Kind == kind && len(id.Problems) == 0
}

func TestEndToEndIDs(t *testing.T) {
	institutions := "00000000 00360305 00416968 18236120 31872495 60701190 60746948 90400888"
	hexadecimal := regexp.MustCompile(`^[0-9a-fE]{32}$`) // as UUIDs without hyphens
	seen, uuids := map[string]bool{}, 0
	for kind, entries := range lists(shared()) {
		for i, e := range entries {
			if e.Text("endToEnd") != "" {
				if hexadecimal.MatchString(e.Text("endToEnd")) {
					uuids++
				}
				if !isEndToEnd(pix.Payment, e.Text("endToEnd")) || !strings.Contains(institutions, e.Text("endToEnd")[1:9]) {
					t.Errorf("%s: endToEnd %s", kind, e.Text("endToEnd"))
				}
				seen[e.Text("endToEnd")[1:9]] = true
			}
			if e.Text("endToEndRefund") != "" && !isEndToEnd(pix.Refund, e.Text("endToEndRefund")) {
				t.Errorf("%s: endToEndRefund %s", kind, e.Text("endToEndRefund"))
			}
			if i >= walked {
				continue
			}
			payer, _ := sharedRecords()[kind][i]["payer"].(map[string]any)
			if payer != nil && e.Text("endToEnd") != "" {
				if ispb := payer["bankAccount"].(map[string]any)["ispb"]; ispb != e.Text("endToEnd")[1:9] {
					t.Errorf("%s %d: a payer with the ISPB %s and the endToEnd %s", kind, i, ispb, e.Text("endToEnd"))
				}
			}
		}
	}
	if len(seen) != 8 || uuids == 0 {
		t.Errorf("%d institutions, want 8; %d ids of hexadecimal digits", len(seen), uuids)
	}
}

// TestNothingPointsAtRealPeople: all hosts are names reserved for examples.
func TestNothingPointsAtRealPeople(t *testing.T) {
	free := regexp.MustCompile(`(^|\.)example\.(com|org|com\.br)$`)
	host := regexp.MustCompile(`https://([^/"]*)|"[a-z0-9.-]+@([^"A-Z]*)"`)
	hosts := map[string]bool{}
	for kind, entries := range lists(shared()) {
		for i, e := range entries[:walked] {
			text := withoutImage(e)
			for _, found := range host.FindAllStringSubmatch(text, -1) {
				hosts[found[1]+found[2]] = true
			}
			if strings.Contains(text, "http://") {
				t.Errorf("%s %d: a URL without TLS", kind, i)
			}
		}
	}
	if len(hosts) < 10 {
		t.Errorf("%d hosts", len(hosts))
	}
	for host := range hosts {
		if !free.MatchString(host) {
			t.Errorf("unexpected host %s", host)
		}
	}
}
