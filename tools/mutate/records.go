package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"sync"
)

// records is the file of verdicts: lines of JSON, each with a test or a verdict. The first has the question.
type records struct {
	file     *os.File
	question string // identifies the code, the tests and the flags that decide about a verdict
	lock     sync.Mutex
	sites    string // identifies the mutants of this run, to whose numbers Test.Reached refers
	tests    map[string]record
	verdicts map[string]*Verdict
	err      error // the first of the file
}

type record struct {
	Question string   `json:",omitempty"`
	Sites    string   `json:",omitempty"`
	Test     *Test    `json:",omitempty"`
	Verdict  *Verdict `json:",omitempty"`
}

func open(path string) (*records, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	r := &records{file: file, tests: map[string]record{}, verdicts: map[string]*Verdict{}}
	for decoder := json.NewDecoder(bufio.NewReader(file)); ; {
		var line record
		if err := decoder.Decode(&line); errors.Is(err, io.EOF) {
			return r, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		r.keep(line)
	}
}

func (r *records) keep(line record) {
	switch {
	case line.Test != nil:
		r.tests[line.Test.String()] = line
	case line.Verdict != nil:
		r.verdicts[line.Verdict.String()] = line.Verdict
	default:
		r.question = line.Question
	}
}

var errQuestion = errors.New("it has verdicts about other code, other tests or other flags: remove it, or choose another one with -out")

// ask begins a file, or fails if what it has is no answer to the question.
func (r *records) ask(question string) error {
	switch {
	case r.question == question:
		return nil
	case r.question != "" || len(r.tests)+len(r.verdicts) > 0:
		return fmt.Errorf("%s: %w", r.file.Name(), errQuestion)
	}
	r.add(record{Question: question})
	return r.err
}

func (r *records) add(line record) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.keep(line)
	text, err := json.Marshal(line)
	if err == nil {
		_, err = r.file.Write(append(text, '\n'))
	}
	if r.err == nil {
		r.err = err
	}
}

// known returns a test that was recorded with the same mutants, or nil.
func (r *records) known(t *Test) *Test {
	r.lock.Lock()
	defer r.lock.Unlock()
	if known := r.tests[t.String()]; known.Sites == r.sites {
		return known.Test
	}
	return nil
}

func (r *records) has(m *Mutant) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.verdicts[m.String()] != nil
}

// sites returns a hash of the mutants.
func sites(mutants []*Mutant) string {
	hash := fnv.New64a()
	for _, m := range mutants {
		fmt.Fprintln(hash, m)
	}
	return fmt.Sprintf("%x", hash.Sum64())
}
