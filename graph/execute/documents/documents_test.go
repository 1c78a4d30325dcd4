package documents_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"pixgraph/graph/execute/documents"
)

func parse(t testing.TB, text string) *ast.QueryDocument {
	t.Helper()
	document, err := parser.ParseQuery(&ast.Source{Input: text})
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func has(cache *documents.Cache, text string) bool {
	_, ok := cache.Get("", text)
	return ok
}

// add parses a document and adds it.
func add(t testing.TB, cache *documents.Cache, text string) *ast.QueryDocument {
	t.Helper()
	document := parse(t, text)
	cache.Add("", text, document)
	return document
}

func TestCache(t *testing.T) {
	cache := documents.New(0)
	if _, ok := cache.Get("", "{a}"); ok {
		t.Error("an empty cache has a document")
	}
	document := add(t, cache, "{a}")
	add(t, cache, "{a}") // as if two requests had parsed it at the same time: the first document stays
	if got, ok := cache.Get("", "{a}"); !ok || got != document {
		t.Error("the document that was added is not in the cache")
	}
	key := documents.PlanKey{Operation: document.Operations[0]}
	if _, ok := cache.Plan(document, key); ok {
		t.Error("the cache has a plan that was not added")
	}
	cache.Keep(document, key, "plan", 10)
	for _, other := range []documents.PlanKey{
		{}, {Operation: key.Operation, Conditions: "0"},
	} {
		if plan, ok := cache.Plan(document, other); ok {
			t.Errorf("%+v has %v", other, plan)
		}
	}
	if plan, ok := cache.Plan(document, key); !ok || plan != "plan" {
		t.Errorf("the plan is %v", plan)
	}
}

// TestKey: each operation of a document has plans for the values of its own conditions.
func TestKey(t *testing.T) {
	cache := documents.New(0)
	document := add(t, cache, `query A($a: Boolean!) { id @skip(if: $a) } query B($b: Boolean!) { id @skip(if: $b) }`)
	keys := map[documents.PlanKey]bool{}
	for _, on := range []bool{false, true} {
		for _, operation := range document.Operations {
			keys[cache.Key(&graphql.OperationContext{Doc: document, Operation: operation, Variables: map[string]any{
				operation.VariableDefinitions[0].Variable: on,
			}})] = true
		}
	}
	if len(keys) != 4 {
		t.Errorf("%d keys, want 4: %v", len(keys), keys)
	}
}

// TestBounds: the cache stays within its bytes and evicts the least recently used document, together with its plans.
func TestBounds(t *testing.T) {
	const limit = 256 << 10
	cache := documents.New(limit)
	used := add(t, cache, "{used}")
	key := documents.PlanKey{Operation: used.Operations[0]}
	cache.Keep(used, key, "plan", 100)
	first := add(t, cache, "{first}")
	for i := range 1000 {
		text := fmt.Sprintf("{a%d b c d}", i)
		document := add(t, cache, text)
		cache.Keep(document, documents.PlanKey{}, i, 1000)
		if _, ok := cache.Get("", "{used}"); !ok {
			t.Fatalf("a document in use is evicted after %d others", i)
		}
		if _, bytes := cache.Size(); bytes > limit {
			t.Fatalf("%d bytes after %d documents", bytes, i)
		}
	}
	if plan, ok := cache.Plan(used, key); !ok || plan != "plan" {
		t.Error("the plan of a document in use is evicted")
	}
	if has(cache, "{first}") {
		t.Error("a document that was not used is not evicted")
	}
	cache.Keep(first, documents.PlanKey{}, "late", 100)
	if _, ok := cache.Plan(first, documents.PlanKey{}); ok {
		t.Error("a plan is kept without its document")
	}
	before, _ := cache.Size()
	add(t, cache, "{"+strings.Repeat("a ", limit)+"}")
	if after, _ := cache.Size(); after != before {
		t.Error("a document that is larger than the cache evicts others")
	}
}

// TestPlansOfDocumentAreBounded: a document with many combinations of conditions keeps the plans of the last ones, and
// evicts no other document.
func TestPlansOfDocumentAreBounded(t *testing.T) {
	cache := documents.New(0)
	add(t, cache, "{other}")
	document := add(t, cache, "{a}")
	for i := range 5000 {
		key := documents.PlanKey{Conditions: fmt.Sprintf("%012b", i)}
		cache.Keep(document, key, i, 100<<10)
		if plan, ok := cache.Plan(document, key); !ok || plan != i {
			t.Fatalf("plan %d is not kept", i)
		}
		if _, bytes := cache.Size(); bytes > 2<<20 {
			t.Fatalf("%d bytes after %d plans", bytes, i)
		}
	}
	cache.Keep(document, documents.PlanKey{}, 1, 2<<20)
	if _, ok := cache.Plan(document, documents.PlanKey{}); ok {
		t.Error("a plan of 2 MiB is kept")
	}
	if !has(cache, "{other}") {
		t.Error("plans evicted a document")
	}
}

// TestSizes: the cache counts at least the bytes that documents use of the heap.
func TestSizes(t *testing.T) {
	for name, text := range map[string]string{
		"one field":        "{a}",
		"fields":           "{" + strings.Repeat("a b c ", 300) + "}",
		"arguments":        "{" + strings.Repeat(`a(b: 5, c: "text", d: [1, 2, {e: $f}]) `, 100) + "}",
		"nested":           strings.Repeat("{a", 100) + strings.Repeat("}", 100),
		"inline fragments": "{" + strings.Repeat("... on X @skip(if: $a) { b } ", 100) + "}",
		"fragments":        "{...f}" + strings.Repeat("fragment f on X { a } ", 100),
		"variables":        "query(" + strings.Repeat("$a: [Int!]! = [1] @x(y: 1) ", 100) + ") { a }",
		"a string":         `{a(b: "` + strings.Repeat("é", 5000) + `")}`,
	} {
		t.Run(name, func(t *testing.T) {
			const copies = 40
			cache := documents.New(1 << 30)
			before := heap()
			for i := range copies {
				add(t, cache, fmt.Sprintf("#%d\n", i)+text)
			}
			used := int(heap() - before)
			if _, counted := cache.Size(); counted < used*9/10 || counted > 5*used {
				t.Errorf("%d bytes are counted, %d are used", counted/copies, used/copies)
			}
			runtime.KeepAlive(cache)
		})
	}
}

// heap is the live heap.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// TestUsual: what executions of a document hold is known for the callers that requested it; others get the smallest
// number as a guess.
func TestUsual(t *testing.T) {
	const text = "{ __typename }"
	c, document := documents.New(0), parse(t, text)
	c.Used(document, "a", 1)
	if usual, guess := c.Usual(document, "a"); usual+guess != 0 {
		t.Error("the use of a document that is not cached is known")
	}
	c.Add("", text, document)
	c.Used(document, "a", 800)
	c.Used(document, "a", 400)
	if usual, guess := c.Usual(document, "a"); usual != 750 || guess != 750 {
		t.Errorf("usual %d, guess %d", usual, guess)
	}
	c.Used(document, "b", 900)
	for n := range 1000 {
		if usual, guess := c.Usual(document, fmt.Sprint(n)); usual != 0 || guess != 750 && guess != 900 {
			t.Fatalf("usual %d, guess %d of another caller", usual, guess)
		}
		c.Used(document, fmt.Sprint(n), 1<<20)
		if usual, _ := c.Usual(document, "b"); usual != 0 && usual != 900 {
			t.Fatalf("usual %d after an execution of another caller", usual)
		}
		c.Used(document, "b", 900)
	}
}
