// Release builds what a release of Pixgraph consists of, from a clone of its repository: the binaries with checksums
// and lists of their components, the container image, and the npm package for front ends. It publishes nothing. The
// same commit and the same versions of Go and Node give the same bytes.
//
// The version is the tag of the commit, which the Go command writes into the binaries; everything else reads it there.
// Read run first.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run writes the parts that the arguments name: binaries, image, client.
func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	root := flags.String("root", "../..", "the directory of the repository")
	out := flags.String("out", "", "the directory for the results, in which each part has a directory; bin/release of the repository by default")
	source := flags.String("source", "", "the URL of the repository, for the labels of the image")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" {
		*out = filepath.Join(*root, "bin", "release")
	}
	if err := checkPage(*root); err != nil {
		return err
	}
	r := &release{root: *root, source: *source, built: map[platform]*binary{}}
	for _, part := range flags.Args() {
		var files []file
		var err error
		switch part {
		case "binaries":
			files, err = r.binaries(ctx, platforms())
		case "image":
			files, err = r.image(ctx)
		case "client":
			files, err = r.client(ctx)
		default:
			err = fmt.Errorf("%q is neither binaries, image nor client", part)
		}
		if err == nil {
			err = replace(filepath.Join(*out, part), files)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// release is a release of a commit.
type release struct {
	root   string // the directory of the repository
	source string // the URL of the repository; "" for none
	built  map[platform]*binary
}

// file is a file of a release.
type file struct {
	name string
	text []byte
}

// replace writes files into a directory that has no others.
func replace(dir string, files []file) error {
	err := os.RemoveAll(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	for _, f := range files {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, f.name), f.text, 0o644)
		}
		fmt.Println(filepath.Join(dir, f.name))
	}
	return err
}

// checkPage fails if the page of GraphiQL is not built, or was built for `make run`, which compresses it quickly. The
// header of a .gz file says whether it was compressed as much as possible (RFC 1952, section 2.3.1: XFL).
func checkPage(root string) error {
	assets, err := filepath.Glob(filepath.Join(root, "web/dist/page/assets/*.gz"))
	if err != nil {
		return err
	}
	if len(assets) == 0 {
		return errors.New("the page of GraphiQL is not built: use make release or make image")
	}
	const xfl, smallest = 8, 2
	for _, name := range assets {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if len(text) <= xfl || text[xfl] != smallest {
			return fmt.Errorf("the page of GraphiQL is not built for a release: %s is not compressed as much as possible: use make release or make image", name)
		}
	}
	return nil
}

// released is the form of the version of a commit with a tag.
var released = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`)

// checkVersion fails if a version is not that of a commit, or is that of a release without a section in CHANGELOG.md.
func checkVersion(root, version string) error {
	if strings.Contains(version, "+dirty") {
		return fmt.Errorf("%s: there are changes that are not committed", version)
	}
	if !released.MatchString(version) || pseudo.MatchString(version) {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	if !strings.Contains(string(text), "\n## ["+strings.TrimPrefix(version, "v")+"] - ") {
		return fmt.Errorf("CHANGELOG.md has no section of %s", version)
	}
	return nil
}

// pseudo is the form of the version of a commit without a tag.
var pseudo = regexp.MustCompile(`\d{14}-[0-9a-f]{12}$`)
