// Package redis tests what needs a real server of Redis: replicas that act as one, and what `pixgraph doctor` reports.
// It has tests only. Package fleet tests, without a server, what a replica does while one is slow, silent or gone.
//
// Its tests wait for what a server or a replica does, however long that takes. Read first: join in replica_test.go.
package redis
