package download

import (
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // time zones for machines without a database of them
	"unicode"
	"unicode/utf8"

	"pixgraph/upstream"
)

// reais writes a decimal number of cents in reais, with all digits and at least two after the comma.
func reais(cents string) (string, bool) {
	unsigned, negative := strings.CutPrefix(cents, "-")
	whole, fraction, _ := strings.Cut(unsigned, ".")
	if whole == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return "", false
	}
	whole = strings.Repeat("0", max(0, len("000")-len(whole))) + whole
	sign := ""
	if negative {
		sign = "-"
	}
	at := len(whole) - len("00")
	return sign + whole[:at] + "," + whole[at:] + fraction, true
}

// decimalComma writes a number with a comma instead of its point.
func decimalComma(number string) (string, bool) {
	return strings.Replace(number, ".", ",", 1), true
}

// saoPaulo is the time zone of Brazil's capital and of its banks.
var saoPaulo = sync.OnceValue(func() *time.Location {
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		panic(err) // the binary has it
	}
	return zone
})

// brazilianTime writes a time in America/Sao_Paulo, to the second. A time without an offset is in an unknown zone. One
// that stands for none is empty.
func brazilianTime(text string) (string, bool) {
	at, instant, ok := upstream.ParseTime(text)
	switch {
	case ok && upstream.IsNoTime(at):
		return "", true
	case !ok || !instant:
		return "", false
	}
	return at.In(saoPaulo()).Format("02/01/2006 15:04:05"), true
}

// brazilianDay writes a day.
func brazilianDay(text string) (string, bool) {
	day, err := time.Parse(time.DateOnly, text)
	return day.Format("02/01/2006"), err == nil
}

// excelWords are what numbers, dates and times may have besides digits, in Portuguese and in English. Excel reads MAR1
// as a date.
var excelWords = func() map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(`e am pm a p de of r t z
		janeiro fevereiro março marco abril maio junho julho agosto setembro outubro novembro dezembro
		january february march april may june july august september october november december
		jan fev feb mar abr apr mai jun jul ago aug set sep sept out oct nov dez dec`) {
		words[word] = true
	}
	return words
}()

// excelChanges reports whether Excel takes a text for a number, a date, a boolean or an error, or might: leading zeros,
// digits after the fifteenth and the form would be lost. No such text has quotes, semicolons, control characters within
// it, or what another program would take for the beginning of a formula.
func excelChanges(text string) bool {
	text = strings.TrimSpace(text)
	switch lower := strings.ToLower(text); {
	case lower == "true", lower == "false", lower == "verdadeiro", lower == "falso":
		return true
	case strings.HasPrefix(lower, "#"):
		return strings.Trim(lower, "#abcdefghijklmnopqrstuvwxyzúã0123456789/!?_") == ""
	}
	const end = "\n"                                      // of the last word
	digits, letters, begins := false, 0, cellStart(false) // a sign may begin a number
	for i, c := range text + end {
		if unicode.IsLetter(c) {
			letters += utf8.RuneLen(c)
			continue
		}
		if letters > 0 && !excelWords[strings.ToLower(text[i-letters:i])] {
			return false
		}
		letters = 0
		switch {
		case unicode.IsDigit(c):
			digits = true
		case i == len(text):
		case !isInNumbers(c), begins.evaluates(c, portugueseSplits):
			return false
		}
	}
	return digits
}

// isInNumbers reports whether a number, a date or a time may have a character that is no digit and no letter.
func isInNumbers(c rune) bool {
	return strings.ContainsRune("+-.,/:%()'", c) || unicode.IsSpace(c) && !unicode.IsControl(c) || unicode.Is(unicode.Sc, c)
}
