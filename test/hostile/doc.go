// Package hostile attacks the gateway as it is shipped: the binary, built with the race detector, as a separate process
// over a sandbox, over the network. It contains only tests. Each rule is tested in detail next to its implementation;
// these tests check that all rules hold together: the responses, the upstream calls, the log and the cost.
//
// TestShipped in shipped_test.go attacks resources that all callers share, such as memory, with the released binary,
// also in control groups as small as those of containers. It restarts gateways behind HAProxy and nginx under load,
// with the configurations of deploy/, which takes as long as shutdown_delay and a download twice. TestFiles breaks
// files behind these and other proxies.
//
// Read first: TestHostile in hostile_test.go, the order of the attacks, and then row in row_test.go, with the checks
// for every response.
package hostile
