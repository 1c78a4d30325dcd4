package rules

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	codeBlock    = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	documentLink = regexp.MustCompile("\\[(`?)([^\\]`]+)`?\\]\\(([^)#:\\s]*)(#[^)\\s]*)?\\)")
	namedPath    = regexp.MustCompile("`((?:auth|deploy|docs|gateway|graph|internal|test|tools|upstream)/[\\w./*-]+)`")
	title        = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notInAnchor  = regexp.MustCompile(`[^\w\- ]`)
)

// anchors are those of the headings of a document, as hosts of repositories derive them.
func anchors(text string) (found []string) {
	for _, match := range title.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		found = append(found, "#"+strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(match[1]), ""), " ", "-"))
	}
	return found
}

// TestDocuments: the files, directories and headings that documents link to exist, and so do the files that they name. A file of
// code has the name that its link shows.
func TestDocuments(t *testing.T) {
	links, names := 0, 0
	for _, document := range filesOf(t, ".md") {
		text := codeBlock.ReplaceAllString(read(t, document), "")
		for _, link := range documentLink.FindAllStringSubmatch(text, -1) {
			links++
			target := document
			if link[3] != "" {
				target = path.Join(path.Dir(document), link[3])
			}
			info, err := os.Stat(target)
			switch {
			case err != nil:
				t.Errorf("%s: %v", document, err)
			case info.IsDir():
			case link[4] != "" && !slices.Contains(anchors(read(t, target)), link[4]):
				t.Errorf("%s: %s has no heading %s", document, target, link[4])
			case link[1] != "" && path.Ext(target) == ".go" && !regexp.MustCompile(`\b`+regexp.QuoteMeta(link[2])+`\b`).MatchString(read(t, target)):
				t.Errorf("%s: %s does not have %s", document, target, link[2])
			}
		}
		if document == "CHANGELOG.md" {
			continue // old entries name what there was
		}
		for _, name := range namedPath.FindAllStringSubmatch(text, -1) {
			names++
			if found, err := filepath.Glob(name[1]); err != nil || len(found) == 0 {
				t.Errorf("%s names %s, which does not exist", document, name[1])
			}
		}
	}
	if links < 150 || names < 100 {
		t.Errorf("only %d links and %d names of files found", links, names)
	}
}
