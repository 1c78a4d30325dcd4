package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// Result is the result of a check.
type Result string

// The results of a check.
const (
	OK      Result = "ok"
	Warn    Result = "warn" // it works, with a problem or a missing part
	Fail    Result = "fail" // a gateway with these settings would not work
	Skipped Result = "skip" // it could not be checked
)

// Check is one check and its result.
type Check struct {
	What   string `json:"check"`
	Result Result `json:"result"`
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"` // what to do about it
}

// Report is the checks of a run, in their order.
type Report struct{ Checks []Check }

// Passed reports whether no check failed. Skipped checks did not fail.
func (r Report) Passed() bool {
	return !slices.ContainsFunc(r.Checks, func(c Check) bool { return c.Result == Fail })
}

func passed(detail string) Check        { return Check{Result: OK, Detail: detail} }
func warned(detail, hint string) Check  { return Check{Result: Warn, Detail: detail, Hint: hint} }
func failed(detail, hint string) Check  { return Check{Result: Fail, Detail: detail, Hint: hint} }
func skipped(detail, hint string) Check { return Check{Result: Skipped, Detail: detail, Hint: hint} }

// add appends a check of something; the zero Check reports nothing. Texts that a service chooses, such as the names of
// scopes, must not contain terminal control characters.
func (r *Report) add(what string, c Check) {
	if c != (Check{}) {
		r.Checks = append(r.Checks, Check{What: printable(what), Result: c.Result, Detail: printable(c.Detail), Hint: printable(c.Hint)})
	}
}

// maxText is the maximum length of a text of a report.
const maxText = 400

func printable(text string) string {
	text = strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return '?'
		}
		return c
	}, text)
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + " …"
	}
	return text
}

// WriteTable writes one row per check, and below it what to do about it.
func (r Report) WriteTable(w io.Writer) error {
	width := 0
	for _, c := range r.Checks {
		width = max(width, len([]rune(c.What)))
	}
	var b strings.Builder
	count := map[Result]int{}
	for _, c := range r.Checks {
		count[c.Result]++
		mark := string(c.Result)
		if c.Result == Fail {
			mark = "FAIL" // there are no colours
		}
		fmt.Fprintf(&b, "%-4s  %-*s  %s\n", mark, width, c.What, c.Detail)
		if c.Hint != "" {
			fmt.Fprintf(&b, "      %*s  -> %s\n", width, "", c.Hint)
		}
	}
	fmt.Fprintf(&b, "\n%d ok, %d warnings, %d failed, %d skipped\n", count[OK], count[Warn], count[Fail], count[Skipped])
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteJSON writes the report as JSON: {"passed":true,"checks":[{"check","result","detail","hint"}]}.
func (r Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(struct {
		Passed bool    `json:"passed"`
		Checks []Check `json:"checks"`
	}{r.Passed(), append([]Check{}, r.Checks...)})
}
