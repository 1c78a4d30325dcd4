package settings

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// maxName exceeds the length of every setting's name.
const maxName = 64

// nameForm matches the names that an error may repeat: words of lower-case letters, and short numbers. Tokens, hashes
// and generated passwords have capital letters, or digits between letters.
var nameForm = regexp.MustCompile(`^[a-z]+([_.]([a-z]+|[0-9]{1,5}))*$`)

// hiddenName replaces a name that does not match.
const hiddenName = "a name that is not shown"

// shown returns a name as errors may repeat it. After a mistake the name may be a token or a password, and errors are
// logged. Values are never repeated.
func shown(name string) string {
	if len(name) > maxName || !nameForm.MatchString(name) {
		return hiddenName
	}
	return name
}

// Unknown is the error about an unknown name, such as "unknown flag --lisen (did you mean --listen?)". spell returns
// how the user writes a name.
func Unknown(noun, name string, known []string, spell func(string) string) error {
	if shown(name) == hiddenName {
		return fmt.Errorf("unknown %s, with %s", noun, hiddenName)
	}
	hint := "pixgraph help lists them"
	if near := similar(name, known); near != "" {
		hint = "did you mean " + spell(near) + "?"
	}
	return fmt.Errorf("unknown %s %s (%s)", noun, spell(name), hint)
}

// similar returns the known name with the shortest distance, which is at most a third of its letters, or else one that
// begins with it.
func similar(name string, known []string) string {
	best, shortest := "", len(name)/3+1
	for _, other := range known {
		if distance := levenshtein.ComputeDistance(name, other); distance < shortest {
			best, shortest = other, distance
		}
	}
	if i := slices.IndexFunc(known, func(other string) bool { return strings.HasPrefix(other, name+"_") }); best == "" && i >= 0 {
		return known[i]
	}
	return best
}
