package calls

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
)

// The arguments of the directive.
const (
	slicingArgument = "slicingArgument"
	maxRecords      = "maxRecords"
	secondCallWith  = "secondCallWith"
	pagesArgument   = "pagesArgument"
	idField         = "idField"
)

// read parses the directive of one field and checks it against the field.
func read(schema *ast.Schema, parent *ast.Definition, definition *ast.FieldDefinition, directive *ast.Directive) (*Field, error) {
	field := &Field{Type: definition.Type.Name(), Form: formOf(schema, definition.Type)}
	var member string
	for _, argument := range directive.Arguments {
		var err error
		switch argument.Name {
		case slicingArgument:
			field.SlicingArgument, err = text(argument.Value)
		case maxRecords:
			field.MaxRecords, err = count(argument.Value)
		case secondCallWith:
			field.SecondCallWith, err = text(argument.Value)
		case pagesArgument:
			field.PagesArgument, err = text(argument.Value)
		case idField:
			member, err = text(argument.Value)
		default:
			err = errors.New("is not known")
		}
		if err != nil {
			return nil, fmt.Errorf("%s %w", argument.Name, err)
		}
	}
	if err := field.check(definition); err != nil {
		return nil, err
	}
	return field, field.link(parent, member)
}

// text returns the value of a non-empty string.
func text(value *ast.Value) (string, error) {
	if value.Kind != ast.StringValue || value.Raw == "" {
		return "", errors.New("must be a name")
	}
	return value.Raw, nil
}

// count returns a positive number of records or pages.
func count(value *ast.Value) (int, error) {
	n, err := strconv.Atoi(value.Raw)
	if value.Kind != ast.IntValue || err != nil || n < 1 {
		return 0, errors.New("must be a number from 1")
	}
	return n, nil
}

// check checks the declared calls and records against the arguments and the type of the field.
func (f *Field) check(definition *ast.FieldDefinition) error {
	if f.SlicingArgument != "" {
		if argument := definition.Arguments.ForName(f.SlicingArgument); argument == nil || argument.Type.Elem == nil {
			return fmt.Errorf("%s: the field has no argument %s that is a list", slicingArgument, f.SlicingArgument)
		}
	}
	if f.SecondCallWith != "" && definition.Arguments.ForName(f.SecondCallWith) == nil {
		return fmt.Errorf("%s: the field has no argument %s", secondCallWith, f.SecondCallWith)
	}
	if f.PagesArgument != "" {
		return f.checkPages(definition)
	}
	switch many := f.MaxRecords > 0 || f.SlicingArgument != ""; {
	case f.SlicingArgument != "" && f.SecondCallWith != "":
		return fmt.Errorf("%s and %s exclude each other", slicingArgument, secondCallWith)
	case many && f.Form == Record:
		return fmt.Errorf("%s and %s are for more than one record", maxRecords, slicingArgument)
	case !many && f.Form != Record:
		return fmt.Errorf("needs %s or %s: the field leads to more than one record", maxRecords, slicingArgument)
	}
	return nil
}

// checkPages checks the declaration of a field that sums pages, and reads the default of its argument.
func (f *Field) checkPages(definition *ast.FieldDefinition) error {
	argument := definition.Arguments.ForName(f.PagesArgument)
	switch {
	case f.SlicingArgument != "" || f.SecondCallWith != "" || f.MaxRecords > 0:
		return fmt.Errorf("%s excludes the arguments about records", pagesArgument)
	case argument == nil || argument.Type.NamedType != "Int" || argument.DefaultValue == nil:
		return fmt.Errorf("%s: the field has no argument %s of type Int with a default", pagesArgument, f.PagesArgument)
	}
	var err error
	if f.DefaultPages, err = count(argument.DefaultValue); err != nil {
		return fmt.Errorf("%s: the default of %s %w", pagesArgument, f.PagesArgument, err)
	}
	return nil
}

// link finds the field with the id of the record, if the directive names one.
func (f *Field) link(parent *ast.Definition, member string) error {
	if member == "" {
		return nil
	}
	id := parent.Fields.ForName(member)
	switch {
	case f.Form != Record || f.SecondCallWith != "":
		return fmt.Errorf("%s is for one record, which is one call", idField)
	case !isRecord(parent):
		return fmt.Errorf("%s is for a field of a record", idField)
	case id == nil || id.Type.NamedType != "ID" && id.Type.NamedType != "String":
		return fmt.Errorf("%s: %s has no field %s of type ID or String", idField, parent.Name, member)
	}
	f.ID = &Member{Name: member, Required: id.Type.NonNull}
	return nil
}
