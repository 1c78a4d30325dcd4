package settings

import "regexp"

// longestName is more than any setting's name has.
const longestName = 64

// nameForm is what a name may look like that an error repeats: words of lower-case letters, and short numbers. A token, a
// hash or a generated password has capitals, or digits among its letters.
var nameForm = regexp.MustCompile(`^[a-z]+([_.]([a-z]+|[0-9]{1,5}))*$`)

// hiddenName stands for a name of another form.
const hiddenName = "a name that is not shown"

// shown is a name as errors repeat it. Where a name is expected there may be a token or a password, after a typing error or
// a value in the wrong place, and errors go to logs. Values are never repeated.
func shown(name string) string {
	if len(name) > longestName || !nameForm.MatchString(name) {
		return hiddenName
	}
	return name
}
