package settings

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// byteOrderMark is what some Windows editors write at the start of a file.
const byteOrderMark = "\uFEFF"

// fromYAML reads a file of keys, flat (core_url: …) or nested (core: {url: …}). A list is a YAML list or a string.
//
// It walks the syntax tree and uses the values as written: decoded, 0123 would be 83 and 1.10 would be 1.1. Other
// features of YAML are rejected: anchors, tags, values of several lines, several documents.
func fromYAML(text []byte) (layer, error) {
	if !utf8.Valid(text) {
		return layer{}, errors.New("config: the file is not UTF-8")
	}
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	tree, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return layer{}, syntaxError(text)
	}
	file := layer{"the config file", map[string]string{}}
	if len(tree.Docs) > 1 {
		return layer{}, errors.New("config: the file has more than one YAML document, or a directive")
	}
	for _, document := range tree.Docs {
		switch body := document.Body.(type) {
		case nil: // an empty file, or only comments
		case *ast.MappingNode:
			if err := flatten(file.values, "", body); err != nil {
				return layer{}, err
			}
		default:
			return layer{}, fmt.Errorf("config: line %d of the file is not key: value", line(body))
		}
	}
	return file, nil
}

// syntaxError returns the line of a syntax error, without the content of the file: the one after the most lines that
// are YAML. The parser names another one if it finds the error late, or where a value began.
func syntaxError(text []byte) error {
	const largest = 64 << 10 // of a file that is meant to have settings
	if len(text) > largest {
		return errors.New("config: the file is not YAML")
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	for n := len(lines) - 1; n > 0; n-- {
		if _, err := parser.ParseBytes(bytes.Join(lines[:n], nil), 0, parser.AllowDuplicateMapKey()); err == nil {
			return fmt.Errorf("config: line %d of the file is not YAML", n+1)
		}
	}
	return errors.New("config: line 1 of the file is not YAML")
}

func line(node ast.Node) int { return node.GetToken().Position.Line }

// flatten collects the values of a mapping and of nested mappings, under their full keys.
func flatten(into map[string]string, prefix string, mapping *ast.MappingNode) error {
	names := map[string]bool{}
	for _, pair := range mapping.Values {
		name, ok := pair.Key.(*ast.StringNode)
		if !ok || name.Value == "" {
			return fmt.Errorf("config: line %d of the file does not begin with a key", line(pair.Key))
		}
		key := prefix + name.Value
		if key == configKey {
			return errors.New("config: cannot be in the config file")
		}
		if names[name.Value] {
			return fmt.Errorf("%s: is in the config file twice", shown(key))
		}
		names[name.Value] = true
		if nested, ok := pair.Value.(*ast.MappingNode); ok && len(nested.Values) > 0 {
			if err := flatten(into, key+"_", nested); err != nil {
				return err
			}
			continue
		}
		if !accepts(keys(), key) {
			err := Unknown("config key", key, keys(), func(key string) string { return key })
			return fmt.Errorf("config: line %d of the file: %w", line(pair.Key), err)
		}
		value, err := written(key, pair.Value)
		if err != nil {
			return fmt.Errorf("%s: %w (line %d of the config file)", key, err, line(pair.Key))
		}
		if _, twice := into[key]; twice { // once flat and once nested
			return fmt.Errorf("%s: is in the config file twice", key)
		}
		into[key] = value
	}
	return nil
}

// written returns the text of a scalar, or of a list of scalars if the setting is a list.
func written(key string, node ast.Node) (string, error) {
	sequence, ok := node.(*ast.SequenceNode)
	if !ok {
		return scalar(node)
	}
	if setting, _ := find(key); !setting.List {
		return "", fmt.Errorf("must be %s, not a list", setting.Accepts)
	}
	items := make([]string, len(sequence.Values))
	for i, node := range sequence.Values {
		item, err := scalar(node)
		if err != nil {
			return "", err
		}
		if item == "" || item != strings.TrimSpace(item) || strings.Contains(item, ",") {
			return "", errors.New("has an item that is empty, or has a comma or spaces around it")
		}
		items[i] = item
	}
	return strings.Join(items, ","), nil
}

// scalar returns the text of a scalar as written, without quotes; "" for null.
func scalar(node ast.Node) (string, error) {
	switch node.(type) {
	case *ast.NullNode:
		return "", nil
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
	default:
		return "", errors.New("must be a string or a list of strings, without anchors and tags")
	}
	token := node.GetToken()
	if strings.ContainsAny(strings.TrimSpace(token.Origin), "\r\n") {
		return "", errors.New("must be on one line")
	}
	return token.Value, nil
}
