// Command generate writes graph/generated and the stubs of the resolvers from the schema. It runs gqlgen with a plugin
// that writes roots.generated.go. `make generate` runs it.
package main

import (
	_ "embed"
	"fmt"
	"go/types"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/99designs/gqlgen/api"
	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/99designs/gqlgen/codegen/templates"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/calls"
)

func main() {
	if err := run(); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	log.SetOutput(io.Discard) // gqlgen notes the fields that its executor could not read; errors are returned
	settings, err := config.LoadConfigFromDefaultLocations()
	if err != nil {
		return err
	}
	return api.Generate(settings, api.PrependPlugin(resolvers{}), api.AddPlugin(roots{}), api.AddPlugin(executor{}))
}

// roots is a plugin of gqlgen. It writes functions that resolve a field of Query or a link of a record for package
// projection, and that read the arguments of a field that is watched.
type roots struct{}

// Name implements plugin.Plugin.
func (roots) Name() string { return "roots" }

//go:embed roots.gotpl
var rootsTemplate string

// resolved is a field with a resolver.
type resolved struct {
	*codegen.Field
	Found string // the function of package projection that wraps the result of the resolver
}

// GenerateCode implements plugin.CodeGenerator.
func (roots) GenerateCode(data *codegen.Data) error {
	declared, err := calls.Read(data.Schema)
	if err != nil {
		return err
	}
	var fields struct {
		Query, Links []resolved
		Watched      []*codegen.Field
		Resolved     []*codegen.Object // the types with resolvers
		Made         []*codegen.Object
	}
	for _, object := range data.Objects {
		if isMade(object) {
			fields.Made = append(fields.Made, object)
		}
		if object.HasResolvers() {
			fields.Resolved = append(fields.Resolved, object)
		}
		for _, field := range object.Fields {
			switch {
			case object == data.QueryRoot && field.IsResolver:
				fields.Query = append(fields.Query, resolved{field, found(field)})
				if strings.HasPrefix(field.Name, "await") {
					fields.Watched = append(fields.Watched, field)
				}
			case object == data.SubscriptionRoot && declared[field.FieldDefinition] != nil:
				fields.Watched = append(fields.Watched, field)
			case field.IsResolver:
				fields.Links = append(fields.Links, resolved{field, found(field)})
			}
		}
	}
	return templates.Render(templates.Options{
		PackageName:     data.Config.Exec.Package,
		Filename:        filepath.Join(data.Config.Exec.DirName, "roots.generated.go"),
		Template:        rootsTemplate,
		Data:            fields,
		GeneratedHeader: true,
		Packages:        data.Config.Packages,
		PruneOptions:    data.Config.GetPruneOptions(),
		Funcs:           template.FuncMap{"literal": literal},
	})
}

// literal returns lists as the elements of a Go literal, without its type.
func literal(lists any) string { return strings.ReplaceAll(templates.Dump(lists), "[]any", "") }

// isMade reports whether the gateway makes the objects of a type: whether it is a projection.Object.
func isMade(object *codegen.Object) bool {
	return object.Type != nil && !object.Root && !object.BuiltIn && hasFields(types.NewPointer(object.Type))
}

// hasFields reports whether a type is a projection.Object.
func hasFields(t types.Type) bool {
	method, _, _ := types.LookupFieldOrMethod(t, true, nil, "Field")
	field, ok := method.(*types.Func)
	return ok && field.Signature().Params().Len() == 1
}

// found returns the name of the function that wraps the result of a field's resolver.
func found(field *codegen.Field) string {
	switch {
	case field.TypeReference.Definition.Kind == ast.Union:
		return "Entities"
	case hasFields(field.TypeReference.GO):
		return "MadeOf"
	case field.Type.Elem != nil:
		return "Several"
	default:
		return "One"
	}
}

// resolvers is a plugin of gqlgen that says which fields have resolvers: those of Query, and links that no id of the
// record determines. It comes before gqlgen's own plugins, which write their stubs.
type resolvers struct{}

// Name implements plugin.Plugin.
func (resolvers) Name() string { return "resolvers" }

// GenerateCode implements plugin.CodeGenerator.
func (resolvers) GenerateCode(data *codegen.Data) error {
	declared, err := calls.Read(data.Schema)
	if err != nil {
		return err
	}
	for _, object := range data.Objects {
		for _, field := range object.Fields {
			call := declared[field.FieldDefinition]
			switch name, isSubgraph := strings.CutPrefix(field.Name, "_"); {
			case object != data.QueryRoot:
				field.IsResolver = object != data.SubscriptionRoot && call != nil && call.ID == nil
			case strings.HasPrefix(name, "_"): // introspection
			default:
				if field.IsResolver = true; isSubgraph { // gqlgen leaves those of a subgraph to its own plugin
					field.NoErr, field.GoFieldName = false, templates.ToGo(name)
				}
			}
		}
	}
	return nil
}

// executor is a plugin of gqlgen that leaves only introspection to gqlgen's executor: it removes the other fields, and
// the types that then neither they nor arguments need.
type executor struct{}

// Name implements plugin.Plugin.
func (executor) Name() string { return "executor" }

// GenerateCode implements plugin.CodeGenerator.
func (executor) GenerateCode(data *codegen.Data) error {
	needed := needs{data, map[string]*config.TypeReference{}}
	for _, object := range data.Objects {
		for _, field := range object.Fields {
			for _, argument := range field.Args {
				needed.add(argument.TypeReference)
			}
		}
	}
	for _, directive := range data.AllDirectives {
		for _, argument := range directive.Args {
			needed.add(argument.TypeReference)
		}
	}
	isOther := func(field *codegen.Field) bool { return !strings.HasPrefix(field.Name, "__") }
	query := *data.QueryRoot
	query.Fields = slices.DeleteFunc(slices.Clone(query.Fields), isOther)
	objects := codegen.Objects{&query}
	for _, object := range data.Objects {
		if object.BuiltIn {
			objects = append(objects, object)
		}
	}
	for _, object := range objects {
		for _, field := range object.Fields {
			needed.add(field.TypeReference)
		}
	}
	data.QueryRoot, data.SubscriptionRoot, data.Objects, data.Interfaces = &query, nil, objects, nil
	data.ReferencedTypes = needed.types
	return nil
}

// needs collects types that generated code needs.
type needs struct {
	data  *codegen.Data
	types map[string]*config.TypeReference
}

// add adds a type with its elements and, of an input, its fields.
func (n needs) add(t *config.TypeReference) {
	if t == nil || n.types[t.UniquenessKey()] != nil {
		return
	}
	n.types[t.UniquenessKey()] = t
	n.add(t.Elem())
	for _, input := range n.data.Inputs {
		for _, field := range input.Fields {
			if input.Name == t.Definition.Name {
				n.add(field.TypeReference)
			}
		}
	}
}
