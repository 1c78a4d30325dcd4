package rules

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pixgraph/gateway/settings"
)

var (
	codeBlock    = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	documentLink = regexp.MustCompile("\\[(`?)([^\\]`]+)`?\\]\\(([^)#:\\s]*)(#[^)\\s]*)?\\)")
	title        = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notInAnchor  = regexp.MustCompile(`[^\w\- ]`)

	// namedPath is a file or a directory, and namedInCode a test, a setting, a metric or the value of a label.
	namedPath   = regexp.MustCompile("`((?:auth|deploy|docs|gateway|graph|internal|test|tools|upstream)/[\\w./*-]+)`")
	namedInCode = regexp.MustCompile("`(?:pixgraph_)?((?:Test|Fuzz)[A-Z]\\w+|[a-z]+_[a-z0-9_]+)`")
	// declared is a test, or a text in quotation marks from which metrics and labels are made.
	declared = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(|"(?:pixgraph_)?([a-z0-9_ ]+)"`)
)

// proseOf are the documents without their blocks of code.
func proseOf(t *testing.T) map[string]string {
	t.Helper()
	documents := map[string]string{}
	for _, file := range filesOf(t, ".md") {
		documents[file] = codeBlock.ReplaceAllString(read(t, file), "")
	}
	return documents
}

// TestDocumentLinks: the files, directories and headings that documents link to exist. A file of code has the name that
// its link shows.
func TestDocumentLinks(t *testing.T) {
	documents, links := proseOf(t), 0
	headings := func(document string) (anchors []string) { // as hosts of repositories derive them
		for _, match := range title.FindAllStringSubmatch(documents[document], -1) {
			anchor := notInAnchor.ReplaceAllString(strings.ToLower(match[1]), "")
			anchors = append(anchors, "#"+strings.ReplaceAll(anchor, " ", "-"))
		}
		return anchors
	}
	for document, text := range documents {
		for _, link := range documentLink.FindAllStringSubmatch(text, -1) {
			links++
			target := document
			if link[3] != "" {
				target = path.Join(path.Dir(document), link[3])
			}
			switch _, err := os.Stat(target); {
			case err != nil:
				t.Errorf("%s: %v", document, err)
			case link[4] != "" && !slices.Contains(headings(target), link[4]):
				t.Errorf("%s: %s has no heading %s", document, target, link[4])
			case link[1] != "" && path.Ext(target) == ".go":
				if !regexp.MustCompile(`\b` + regexp.QuoteMeta(link[2]) + `\b`).MatchString(read(t, target)) {
					t.Errorf("%s: %s does not have %s", document, target, link[2])
				}
			}
		}
	}
	if links < 150 {
		t.Errorf("only %d links found", links)
	}
}

// TestDocumentNames: the files, tests, settings, metrics and labels that documents name exist. Old entries of the
// changelog name what there was.
func TestDocumentNames(t *testing.T) {
	// Of OpenID Connect, Python, nginx and genqlient.
	known := map[string]bool{"at_hash": true, "parse_float": true, "proxy_read_timeout": true, "export_operations": true}
	for _, setting := range settings.Table() {
		known[setting.Key] = true
	}
	for _, file := range filesOf(t, ".go") {
		for _, match := range declared.FindAllStringSubmatch(read(t, file), -1) {
			known[match[1]+strings.ReplaceAll(match[2], " ", "_")] = true
		}
	}
	documents, names := proseOf(t), 0
	delete(documents, "CHANGELOG.md")
	for document, text := range documents {
		for _, match := range namedPath.FindAllStringSubmatch(text, -1) {
			names++
			if found, err := filepath.Glob(match[1]); err != nil || len(found) == 0 {
				t.Errorf("%s names %s, which does not exist", document, match[1])
			}
		}
		for _, match := range namedInCode.FindAllStringSubmatch(text, -1) {
			names++
			if !known[match[1]] {
				t.Errorf("%s names %s, which is not in the code", document, match[1])
			}
		}
	}
	if names < 400 {
		t.Errorf("only %d names found", names)
	}
}
