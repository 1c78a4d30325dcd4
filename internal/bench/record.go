package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// record asks a gateway every query with every set of variables, and keeps its answers. They must be good, and the same as
// those of the gateways before.
func (l *lab) record(ctx context.Context, p *process) error {
	c, err := dial(ctx, p.address)
	if err != nil {
		return err
	}
	defer c.close()
	asks := map[string][]exchange{}
	for _, q := range l.queries {
		for i, s := range q.sets {
			request, err := q.post("/graphql", l.token, s)
			if err != nil {
				return err
			}
			answer, err := c.ask(request)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", p.name, q.name, err)
			}
			if err := checkAnswer(answer); err != nil {
				return fmt.Errorf("%s, %s: %w", p.name, q.name, err)
			}
			for name, others := range l.asks {
				if !bytes.Equal(others[q.name][i].answer, answer) {
					return fmt.Errorf("%s with the variables %d is not answered the same by %s and %s", q.name, i, name, p.name)
				}
			}
			asks[q.name] = append(asks[q.name], exchange{request, answer})
		}
	}
	l.asks[p.name] = asks
	return nil
}

// checkAnswer checks that an answer has data in every root field, and no errors.
func checkAnswer(answer []byte) error {
	var response struct {
		Data   map[string]json.RawMessage
		Errors []struct{ Message string }
	}
	if err := json.Unmarshal(answer, &response); err != nil {
		return err
	}
	if len(response.Errors) > 0 {
		return fmt.Errorf("the answer has the error %q", response.Errors[0].Message)
	}
	for name, value := range response.Data {
		if string(value) == "null" {
			return fmt.Errorf("the field %s is null", name)
		}
	}
	if len(response.Data) == 0 {
		return errors.New("the answer has no data")
	}
	return nil
}

// calls asks the stand-in how many calls there were.
func (l *lab) calls(ctx context.Context) (int64, error) {
	count, err := askOnce(ctx, l.standin.address, get(callsPath, l.token))
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(count), 10, 64)
}
