package variables

import (
	"encoding/json"
	"math"
	"strconv"
)

// scalars report whether a value decoded from JSON or from a default is valid for a built-in scalar (GraphQL
// specification, section 3.5). An integral number is valid for Int in any notation: the transport decodes 5.0 as 5.
var scalars = map[string]func(any) bool{
	"Int": func(value any) bool {
		whole, ok := integer(value)
		return ok && whole >= math.MinInt32 && whole <= math.MaxInt32
	},
	"Float": func(value any) bool {
		switch value.(type) {
		case json.Number, float64, int64:
			return true
		}
		return false
	},
	"String":  func(value any) bool { _, ok := value.(string); return ok },
	"Boolean": func(value any) bool { _, ok := value.(bool); return ok },
	"ID": func(value any) bool {
		if _, ok := value.(string); ok {
			return true
		}
		_, ok := integer(value)
		return ok
	},
}

// integer converts a decoded number to an integer of 64 bits.
func integer(value any) (int64, bool) {
	switch value := value.(type) {
	case int64:
		return value, true
	case json.Number:
		whole, err := strconv.ParseInt(string(value), 10, 64)
		return whole, err == nil
	default:
		return 0, false
	}
}

// kindOf returns the JSON type of a value.
func kindOf(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number, float64, int64:
		return "number"
	case map[string]any:
		return "object"
	default:
		return "list"
	}
}
