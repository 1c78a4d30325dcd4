package serve_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/internal/quota"
)

// TestComputesInPieces: an operation that computes long gives up its turn in between for another caller, and is then
// answered as if it had not.
func TestComputesInPieces(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		document := "{" + aliases(50, `pixCode(text: "0002") { problems { code } }`) + "}"
		whole := g.Query(document).WantOK().Body
		turns, granted, answered := g.Handler.OneTurn(), make(chan *quota.Turn), make(chan string, 1)
		take := func(caller string) {
			turn, err := turns.Take(t.Context(), caller, 0)
			if err != nil {
				t.Error(err)
			}
			granted <- turn
		}
		go take("another")
		other := <-granted
		go func() { answered <- string(g.Query(document).Body) }()
		synctest.Wait()
		for range 10 { // first before the operation computes
			go take("another")
			synctest.Wait()
			other.End()
			other = <-granted
			synctest.Wait()
			if len(answered) > 0 {
				t.Fatal("the turn comes after the whole operation")
			}
		}
		other.End()
		if got := <-answered; got != string(whole) || !strings.Contains(got, "a49") {
			t.Errorf("%.300s, want %.300s", got, whole)
		}
	})
}
