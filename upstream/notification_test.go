package upstream_test

import (
	"strings"
	"testing"

	"pixgraph/upstream"
)

func TestInvalidNotificationIDs(t *testing.T) {
	for _, id := range []string{
		"", ".", "..", "a\nb", "a\r\nX: y", "\x00", "\x7f", "a\tb", "\u0085", "a\u009fb", "\xff", "a\xc3", "\xed\xa0\x80",
		"../x", "x/..", "a/../b", "a/./b", "./a", `..\x`, `a\..\b`, "%2e%2e", "%2E.", "%2e", "a/%2e%2e/b", "..%2Fx", "a%2f..", "a%5C..%5cb",
		strings.Repeat("a", 1025), strings.Repeat("é", 513),
	} {
		if upstream.ValidNotificationID(id) {
			t.Errorf("%q is accepted", id)
		}
	}
}
