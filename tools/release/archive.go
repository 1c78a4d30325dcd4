package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"strings"
	"time"
)

// entry is a file of an archive, or a directory if its name ends with a slash.
type entry struct {
	name string
	mode int64
	text []byte
}

// tarOf returns a tar archive whose bytes depend on nothing but its arguments. All entries belong to root.
func tarOf(modified time.Time, entries []entry) ([]byte, error) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, e := range entries {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: e.name, Mode: e.mode, Size: int64(len(e.text)), ModTime: modified, Format: tar.FormatUSTAR}
		if strings.HasSuffix(e.name, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.text); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return archive.Bytes(), err
}

// gzipped compresses the result of a function.
func gzipped(text []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	var compressed bytes.Buffer
	w, err := gzip.NewWriterLevel(&compressed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	err = w.Close()
	return compressed.Bytes(), err
}
