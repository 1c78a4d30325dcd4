// Package filewatch reads files again when they change: by rename, by rewrite, or by a new target of a symbolic link,
// as in Kubernetes volumes. It asks the file system at intervals; notifications do not work on every file system.
//
// It does not interpret what it reads. Read File first.
package filewatch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
)

// File is a file that is read as a whole. Its methods may be called by one goroutine at a time.
type File struct {
	Path   string
	Max    int64 // bytes
	Secret bool  // whether the content is a secret, which somebody may set as the path: errors lack it

	seen fs.FileInfo // of the file that was last read; nil if reading failed
}

// Changed reports whether the path leads to another file, or the file was written, since the last Read. It is true if
// that failed: a change of permissions does not change the time of the last write.
func (f *File) Changed() bool {
	info, err := os.Stat(f.Path)
	return err != nil || f.seen == nil ||
		!os.SameFile(info, f.seen) || info.Size() != f.seen.Size() || !info.ModTime().Equal(f.seen.ModTime())
}

// IsPublic reports whether the mode of the file lets every user read it, as of the last Read. On Windows, modes do not
// say that.
func (f *File) IsPublic() bool {
	const others = 0o004
	return f.seen != nil && runtime.GOOS != "windows" && f.seen.Mode()&others != 0
}

// Read returns the content of the file. A write during the read is noticed by the next Changed.
func (f *File) Read() ([]byte, error) {
	text, err := f.read()
	if f.Secret {
		return text, WithoutPath(err)
	}
	return text, Named(err, f.Path)
}

// Named returns the cause of an error of a file with its path at the end, unless that may be a certificate, a key or a
// token by mistake.
func Named(err error, path string) error {
	const longest = 200
	err = WithoutPath(err)
	if err == nil || path == "" || len(path) > longest || strings.ContainsAny(path, "\r\n") {
		return err
	}
	return fmt.Errorf("%w: %s", err, path)
}

// WithoutPath returns the cause of an error of a file. The text of the error has the path, which may be a secret set by
// mistake.
func WithoutPath(err error) error {
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

func (f *File) read() ([]byte, error) {
	f.seen = nil
	info, err := os.Stat(f.Path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would block until its other end opens
		return nil, errors.New("is not a regular file")
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil { // before the read, so that a later write differs
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, f.Max+1))
	if err != nil {
		return nil, err
	}
	f.seen = info
	if int64(len(text)) > f.Max {
		return nil, fmt.Errorf("is larger than %d bytes", f.Max)
	}
	return text, nil
}
