package deferral

import (
	"sync"

	"github.com/vektah/gqlparser/v2/ast"
)

// Captures are the objects with deferred fragments that the execution of a response has found. The goroutines that
// execute root fields add them, an object before the objects in it. The limits of the operation bound their number.
// They end with the response.
type Captures struct {
	mu   sync.Mutex
	list []Capture
}

// Capture is an object of a response, at its path. It is in no null.
type Capture struct {
	Object *Object
	Path   ast.Path
	Value  any // of the executor, for the parts of the object
}

// Add adds objects.
func (c *Captures) Add(found []Capture) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, found...)
}

// take returns the objects and removes them.
func (c *Captures) take() []Capture {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.list
	c.list = nil
	return taken
}
