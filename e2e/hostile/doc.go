// Package hostile attacks the gateway as it is shipped: the binary, built with the race detector, as a process of its own
// before a sandbox, over the wire. It has tests only. It is not where a rule is tested in all its cases, which is beside
// the rule, but where all of them hold together: what comes back, what goes upstream, what is logged, what it costs.
// It takes some 20 seconds, most of which it waits for the timeouts of the server.
//
// TestShipped in shipped_test.go attacks what all callers share, such as memory, with the binary as it is released.
//
// Read first: TestHostile in hostile_test.go, the order of the attack, and then row in row_test.go, which says what every
// answer is held to besides what its row says.
package hostile
