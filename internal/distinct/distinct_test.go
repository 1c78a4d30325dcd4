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
		want := func(succeeding, failing int) {
			t.Helper()
			if s, f := c.Count(); s != succeeding || f != failing {
				t.Errorf("%d callers succeed and %d fail, want %d and %d", s, f, succeeding, failing)
			}
		}
		want(0, 0)
		for range 1000 {
			c.Add("a", true)
			c.Add("a", false)
			c.Add("b", false)
		}
		want(1, 1)
		time.Sleep(2 * time.Minute)
		c.Add("b", true)
		c.Add("a", false)
		want(1, 1) // they have changed places
		time.Sleep(4 * time.Minute)
		want(1, 1)
		time.Sleep(2 * time.Minute)
		want(0, 0)
	})
}

// TestManyCallers: the error of the estimate is small.
func TestManyCallers(t *testing.T) {
	c := distinct.New()
	const succeed, fail = 8000, 2000
	for i := range succeed + fail {
		c.Add(strconv.Itoa(i), i < succeed)
	}
	s, f := c.Count()
	if math.Abs(float64(s+f-succeed-fail)) > 500 || math.Abs(float64(f-fail)) > fail/2 {
		t.Errorf("%d callers succeed and %d fail", s, f)
	}
}
