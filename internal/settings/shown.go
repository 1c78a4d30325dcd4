package settings

import "regexp"

// longestName exceeds the length of every setting's name.
const longestName = 64

// nameForm matches the names that an error may repeat: words of lower-case letters, and short numbers. Tokens, hashes
// and generated passwords have capital letters, or digits between letters.
var nameForm = regexp.MustCompile(`^[a-z]+([_.]([a-z]+|[0-9]{1,5}))*$`)

// hiddenName replaces a name that does not match.
const hiddenName = "a name that is not shown"

// shown returns a name as errors may repeat it. After a mistake the name may be a token or a password, and errors are
// logged. Values are never repeated.
func shown(name string) string {
	if len(name) > longestName || !nameForm.MatchString(name) {
		return hiddenName
	}
	return name
}
