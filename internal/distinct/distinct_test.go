package distinct_test

import (
	"math"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/internal/distinct"
)

// TestCallers: a caller counts once, whatever it does, and as failing only without a success. It is forgotten.
func TestCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := distinct.New()
		want := func(all, failed, failing int) {
			t.Helper()
			if got := c.Count(); got != (distinct.Counts{All: all, Failed: failed, Unsuccessful: failing}) {
				t.Errorf("%+v, want %d %d %d", got, all, failed, failing)
			}
		}
		want(0, 0, 0)
		for range 1000 {
			c.Add("a", true)
			c.Add("a", false)
			c.Add("b", false)
		}
		want(2, 2, 1)
		time.Sleep(2 * time.Minute)
		c.Add("b", true)
		c.Add("a", false)
		want(2, 2, 1) // the other one
		time.Sleep(4 * time.Minute)
		want(2, 1, 1)
		time.Sleep(2 * time.Minute)
		want(0, 0, 0)
	})
}

// TestManyCallers: the error of the estimate is small.
func TestManyCallers(t *testing.T) {
	c := distinct.New()
	const succeed, fail = 1600, 400
	for i := range succeed + fail {
		c.Add(strconv.Itoa(i), i < succeed)
	}
	got := c.Count()
	for _, estimate := range []struct{ got, want int }{{got.All, succeed + fail}, {got.Failed, fail}, {got.Unsuccessful, fail}} {
		if math.Abs(float64(estimate.got-estimate.want)) > float64(estimate.want)/5 {
			t.Errorf("%+v", got)
		}
	}
}
