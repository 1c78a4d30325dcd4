package gatewaytest

import (
	"os"
	"strconv"
)

// Seed returns the seed of random input: the environment variable PIXGRAPH_SEED, or 1.
func Seed() uint64 {
	text, ok := os.LookupEnv("PIXGRAPH_SEED")
	if !ok {
		return 1
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		panic("PIXGRAPH_SEED: " + err.Error())
	}
	return seed
}
