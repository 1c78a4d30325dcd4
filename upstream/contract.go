package upstream

import (
	"strings"

	"pixgraph/upstream/pix"
	"pixgraph/upstream/wire"
)

// Contract is what the gateway knows of one kind of records, beyond its members. That of each kind is generated from
// docs/upstream-api.yaml.
type Contract struct {
	Noun    string // in the singular and in lower case: deposit
	List    string // in the plural: deposits; "" without a list
	Service Service
	ID      *IDForm  // nil if no record can be fetched by its id
	Scopes  []string // that a lookup needs

	Settled, Waiting []string // statuses after which nothing is expected to happen, and those that wait for people
	Volatile         Members  // which differ at every read although nothing happened

	Sums [NumSums]*Amount // that are summed; nil for none
}

// The indexes of Contract.Sums.
const (
	SumAmount = iota // that is to be moved
	SumMoved         // that was moved
	SumRefund
	SumFee
	NumSums
)

// ContractOf returns the contract of a kind of records. T must be one, and not a part of a record.
func ContractOf[T Resource]() *Contract {
	return any((*T)(nil)).(interface{ contract() *Contract }).contract()
}

// Lookups returns the contracts of the kinds of records that can be fetched by id. The caller must not modify them.
func Lookups() []*Contract { return lookups }

// Members are some members of an object, or of each object of a list: nil for all of a member, or some of its own.
type Members map[string]Members

// IDForm is a form of ids.
type IDForm struct {
	Valid  func(id string) bool // whether an API accepts the id
	Rule   string               // what Valid accepts: "must be …"
	folded bool                 // whether case does not matter
}

// The forms of ids.
var (
	UUID           = &IDForm{pix.ValidUUID, "must be a UUID", true}
	UUIDv4         = &IDForm{pix.ValidUUIDv4, "must be a UUID of version 4", true}
	NotificationID = &IDForm{
		ValidNotificationID,
		"must be a notification id: 1 to 1,024 bytes of UTF-8 without control characters and segments . or ..", false,
	}
)

// maxFolded is the length of the ids whose case does not matter, which are UUIDs.
const maxFolded = 36

// Canonical returns the same text for all spellings of a valid id.
func (f *IDForm) Canonical(id string) string {
	if f.folded && len(id) <= maxFolded {
		return strings.ToLower(id)
	}
	return id
}

// Amount is a member with an amount.
type Amount struct {
	Name            string
	Cents, Required bool // whether it is a whole number; whether each record has it
}

// Read reads the value of the member; nil if the record lacks it.
func (a *Amount) Read(service Service, value wire.Value) (Decimal, error) {
	read := ReadDecimal
	if a.Cents {
		read = func(value wire.Value) (Decimal, error) {
			_, err := ReadCents(value)
			return value.Bytes(), err
		}
	}
	if a.Required {
		return Required(service, a.Name, value, read)
	}
	return Optional(service, a.Name, value, read)
}
