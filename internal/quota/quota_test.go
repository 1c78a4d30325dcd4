package quota_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"pixgraph/internal/quota"
)

// TestPoolIsShared: each of several callers in turn takes as many units as it can, and each new caller still gets some.
func TestPoolIsShared(t *testing.T) {
	pool := quota.NewPool(1000, 1)
	for i, want := range []int{750, 125, 1, 1, 1} {
		caller, got := string(rune('a'+i)), 0
		for pool.Take(caller, 1) {
			got++
		}
		if got != want {
			t.Errorf("caller %d got %d units, want %d", i, got, want)
		}
	}
	if used, refused := pool.Used(); used != 878 || refused != 5 {
		t.Errorf("%d units used, %d refusals", used, refused)
	}
	pool.Return("a", 750)
	if !pool.Take("f", 500) {
		t.Error("returned units cannot be taken")
	}
}

// TestSmallPools: a single caller gets units of every pool, and never more than its limit.
func TestSmallPools(t *testing.T) {
	for limit, want := range map[int64]int{1: 1, 2: 2, 3: 3, 4: 3, 8: 6, 0: 10_000} {
		pool, got := quota.NewPool(limit, 1), 0
		for got < 10_000 && pool.Take("a", 1) {
			got++
		}
		if got != want {
			t.Errorf("a single caller gets %[2]d of %[1]d, want %[3]d", limit, got, want)
		}
	}
}

// TestCommonShare: the callers whose token may be invented get an eighth of a pool together, and at least one small
// request.
func TestCommonShare(t *testing.T) {
	for limit, want := range map[int64]int{1000: 125, 16: 2, 4: 1, 1: 1, 0: 10_000} {
		pool, got := quota.NewPool(limit, 1), 0
		for got < 10_000 && pool.Take(quota.Common, 1) {
			got++
		}
		if got != want {
			t.Errorf("they get %[2]d of %[1]d, want %[3]d", limit, got, want)
		}
	}
}

// TestAccount: requests take and return memory in random order from several goroutines. The pool is never exceeded, and
// nothing is held at the end.
func TestAccount(t *testing.T) {
	const limit = 2 << 20
	memory := quota.NewMemory(limit)
	var requests sync.WaitGroup
	for i := range 8 {
		requests.Go(func() {
			for range 50 {
				account := quota.NewAccount(memory, string(rune('a'+i%3)), quota.Limits{})
				var fields sync.WaitGroup
				for range 3 {
					fields.Go(func() {
						held := []int{}
						for range 20 {
							if n := rand.IntN(100 << 10); rand.IntN(2) == 0 || len(held) == 0 {
								if account.Take(n) == nil {
									held = append(held, n)
								}
								continue
							}
							account.Return(held[len(held)-1])
							held = held[:len(held)-1]
							if used, _ := memory.Used(); used < 0 || used > limit {
								t.Errorf("%d bytes used", used)
							}
						}
					})
				}
				fields.Wait()
				account.Release()
				if !errors.Is(account.Take(1<<20), quota.ErrExhausted) {
					t.Error("a released account takes memory")
				}
			}
		})
	}
	requests.Wait()
	if used, _ := memory.Used(); used != 0 {
		t.Errorf("%d bytes are held after the end of all requests", used)
	}
}

// TestSlowBodies: bodies that are never complete take no memory of requests, and do not cause the refusal of a small
// body.
func TestSlowBodies(t *testing.T) {
	const limit = 8 << 20
	memory := quota.NewMemory(limit)
	for i := range 200 { // each of a different caller
		slow := quota.NewAccount(memory, string(rune('a'+i)), quota.Limits{})
		defer slow.Release()
		for slow.Receive(16<<10) == nil {
		}
	}
	good := quota.NewAccount(memory, "good", quota.Limits{})
	if good.Receive(5000) != nil || good.Received() != nil || good.Take(4<<20) != nil {
		t.Error("a caller is refused because of the slow bodies of others")
	}
	good.Release()
	if used, _ := memory.Used(); used > limit/8 {
		t.Errorf("incomplete bodies take %d bytes", used)
	}
}

// TestLimits: the limits of a request apply to that request, and a nil account is not limited.
func TestLimits(t *testing.T) {
	account := quota.NewAccount(quota.NewMemory(0), "a", quota.Limits{Read: 100, Answer: 50})
	defer account.Release()
	var over *quota.Exceeded
	if account.Read(100) != nil || !errors.As(account.Read(1), &over) || over.Limit != quota.LimitRead || over.Max != 100 {
		t.Errorf("reads: %v", over)
	}
	if !account.Write(50, 0) || account.Failed() != nil {
		t.Error("a write within the limit is refused")
	}
	account.Unwrite(10)
	if !account.Write(10, 0) || account.Write(1, 0) || account.Write(0, 0) || !errors.As(account.Failed(), &over) || over.Limit != quota.LimitAnswer {
		t.Errorf("writes: %v", account.Failed())
	}
	var none *quota.Account
	if none.Take(1<<40) != nil || none.Read(1<<40) != nil || !none.Write(1<<40, 1<<40) || none.Failed() != nil {
		t.Error("a nil account has limits")
	}
}
