package ledger

import (
	"strings"

	"pixgraph/upstream/pix"
)

// party is a person or a company in the records.
type party struct {
	company  bool
	name     string
	document string // CPF or CNPJ, unformatted
	email    string
	phone    string // +55, area, number
	home     city
	bank     bank
	evp      string
}

func (d draw) person() *party {
	p := &party{name: pick(d, firstNames) + " " + pick(d, lastNames), home: pick(d, cities), bank: pick(d, banks), evp: d.uuid()}
	p.document = d.cpf()
	p.email = strings.ReplaceAll(slug(p.name), "-", ".") + d.digits(2) + "@" + pick(d, mailDomains)
	p.phone = "+55" + p.home.area + "9" + d.digits(8)
	return p
}

// companyNamed generates a company with this name. A quarter of the CNPJs are alphanumeric.
func (d draw) companyNamed(name string) *party {
	p := &party{company: true, name: name, home: pick(d, cities), bank: pick(d, banks), evp: d.uuid()}
	p.document = d.cnpj(d.chance(25))
	p.email = "pix@" + slug(name) + "." + pick(d, mailDomains)
	if len(p.email) > 77 {
		p.email = "pix@" + pick(d, mailDomains)
	}
	p.phone = "+55" + p.home.area + "3" + d.digits(7)
	return p
}

// anyone is a person, or with a probability of one in six a company.
func (d draw) anyone() *party {
	if d.chance(16) {
		return d.companyNamed(pick(d, companies))
	}
	return d.person()
}

func (d draw) cpf() string {
	for {
		if cpf, err := pix.NewCPF(d.digits(9)); err == nil {
			return cpf
		}
	}
}

func (d draw) cnpj(alphanumeric bool) string {
	set := digitSet
	if alphanumeric {
		set = letterSet[:36]
	}
	for {
		if cnpj, err := pix.NewCNPJ(d.text(8, set) + "0001"); err == nil {
			return cnpj
		}
	}
}

// documentType is the type of a document's value. The spec does not show its values; ours are those of a Pix key.
func (p *party) documentType() string {
	if p.company {
		return string(pix.CNPJ)
	}
	return string(pix.CPF)
}

// shownDocument is the document in one of the forms of the records: masked, formatted or plain.
func (p *party) shownDocument(d draw) string {
	v := p.document
	switch n := d.r.IntN(10); {
	case n < 5 && p.company:
		return "**." + v[2:5] + "." + v[5:8] + "/****-**"
	case n < 5:
		return "***." + v[3:6] + "." + v[6:9] + "-**"
	case n < 7 && p.company:
		return v[:2] + "." + v[2:5] + "." + v[5:8] + "/" + v[8:12] + "-" + v[12:]
	case n < 7:
		return v[:3] + "." + v[3:6] + "." + v[6:9] + "-" + v[9:]
	}
	return v
}

// key is one of the party's Pix keys (PixKeyVo of spec 2.5).
func (p *party) key(d draw) object {
	of := func(key string, typ pix.KeyType) object { return object{{"key", key}, {"type", typ}} }
	switch d.r.IntN(4) {
	case 0:
		return of(p.email, pix.Email)
	case 1:
		return of(p.phone, pix.Phone)
	case 2:
		return of(p.evp, pix.EVP)
	}
	return of(p.document, pix.KeyType(p.documentType()))
}

// accountTypes are ISO 20022's codes for current, savings, payment and salary
// accounts, as the arrangement uses them. The spec shows no values.
var accountTypes = []string{"CACC", "CACC", "CACC", "SVGS", "TRAN", "SLRY"}

// holder is the party as a record shows it (AccountHolder of spec 2.5).
func (p *party) holder(d draw) object {
	document, key, typ := p.shownDocument(d), p.key(d), "PF"
	if p.company {
		typ = "PJ"
	}
	return object{
		{"type", typ}, {"name", p.name}, {"document", document},
		{"bankAccount", object{{"type", pick(d, accountTypes)}, {"digit", d.text(1, digitSet+"X")}, {"ispb", p.bank.ispb}}},
		{"pix", key},
	}
}

// merchant is a customer of the service: the receiver of payments and notifications.
type merchant struct {
	*party
	tenant      string
	storeID     string
	brName      string // of BR Codes
	brCity      string
	webhookBase string
}

func newMerchants(seed uint64) []*merchant {
	all := make([]*merchant, len(companies))
	for i, name := range companies {
		d := newDraw(seed, merchantStream, i)
		m := &merchant{party: d.companyNamed(name), tenant: slug(name), storeID: d.uuid()}
		m.brName = strings.ToUpper(ascii(name))
		m.brName = strings.TrimSpace(m.brName[:min(len(m.brName), 25)])
		m.brCity = strings.ToUpper(ascii(m.home.name))
		m.webhookBase = "https://" + m.tenant + ".example.com"
		all[i] = m
	}
	return all
}
