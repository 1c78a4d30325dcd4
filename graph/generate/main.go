// Command generate writes graph/generated and the stubs of the resolvers from the schema. It runs gqlgen with a plugin
// that writes roots.generated.go. `make generate` runs it.
package main

import (
	_ "embed"
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"strings"

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
	settings, err := config.LoadConfigFromDefaultLocations()
	if err != nil {
		return err
	}
	return api.Generate(settings, api.PrependPlugin(stubs(false)), api.AddPlugin(stubs(true)), api.AddPlugin(roots{}))
}

// roots is a plugin of gqlgen. It writes functions that resolve a field of Query or a link of a record for package
// projection, and that read the arguments of a field that is watched.
type roots struct{}

// Name implements plugin.Plugin.
func (roots) Name() string { return "roots" }

//go:embed roots.gotpl
var rootsTemplate string

// root is a field of Query.
type root struct {
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
		Query          []root
		Links, Watched []*codegen.Field
		Made           []*codegen.Object
	}
	made := map[string]bool{}
	for _, object := range data.Objects {
		if made[object.Name] = isMade(object); made[object.Name] {
			fields.Made = append(fields.Made, object)
		}
	}
	for _, field := range data.QueryRoot.Fields {
		if !strings.HasPrefix(field.Name, "__") && field.Name != "_service" {
			fields.Query = append(fields.Query, root{field, found(field, made)})
		}
		if strings.HasPrefix(field.Name, "await") {
			fields.Watched = append(fields.Watched, field)
		}
	}
	for _, object := range data.Objects {
		for _, field := range object.Fields {
			switch call := declared[field.FieldDefinition]; {
			case call == nil || object == data.QueryRoot:
			case object == data.SubscriptionRoot:
				fields.Watched = append(fields.Watched, field)
			case call.ID == nil:
				fields.Links = append(fields.Links, field)
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
	})
}

// isMade reports whether the gateway makes the objects of a type: whether it is a projection.Object.
func isMade(object *codegen.Object) bool {
	if object.Type == nil || object.Root || object.BuiltIn {
		return false
	}
	method, _, _ := types.LookupFieldOrMethod(types.NewPointer(object.Type), true, nil, "Field")
	field, ok := method.(*types.Func)
	return ok && field.Signature().Params().Len() == 1
}

// found returns the name of the function that wraps the result of a field's resolver.
func found(field *codegen.Field, made map[string]bool) string {
	definition := field.TypeReference.Definition
	switch {
	case definition.Kind == ast.Union:
		return "Entities"
	case made[definition.Name]:
		return "MadeOf"
	case field.Type.Elem != nil:
		return "Several"
	default:
		return "One"
	}
}

// stubs is a plugin of gqlgen that says whether the fields of Subscription have resolvers. False comes before gqlgen's
// own plugins, which would write stubs: an event is an execution of the query with the same field. True comes after
// them, for gqlgen's executor. Fields of Query always have them; gqlgen leaves those of a subgraph to its own plugin.
type stubs bool

// Name implements plugin.Plugin.
func (stubs) Name() string { return "stubs" }

// GenerateCode implements plugin.CodeGenerator.
func (s stubs) GenerateCode(data *codegen.Data) error {
	for _, field := range data.SubscriptionRoot.Fields {
		field.IsResolver = bool(s)
	}
	for _, field := range data.QueryRoot.Fields {
		if name, isSubgraph := strings.CutPrefix(field.Name, "_"); isSubgraph && !strings.HasPrefix(name, "_") {
			field.IsResolver, field.NoErr, field.GoFieldName = true, false, templates.ToGo(name)
		}
	}
	return nil
}
