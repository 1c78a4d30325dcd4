// Command generate writes graph/generated and the stubs of the resolvers from the schema. It runs gqlgen with a plugin
// that writes roots.generated.go. `make generate` runs it.
package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/99designs/gqlgen/api"
	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/99designs/gqlgen/codegen/templates"

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

// roots is a plugin of gqlgen. It writes functions that resolve a field of Query for the fast path, that read the
// arguments of a field that is watched, and that execute a deferred fragment on an object.
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
	found := map[calls.Form]string{calls.Record: "One", calls.List: "Several", calls.Connection: "Page", calls.Entities: "Entities"}
	var fields struct {
		Query   []root
		Watched []*codegen.Field
		Objects []*codegen.Object
	}
	for _, field := range data.QueryRoot.Fields {
		if call := declared[field.FieldDefinition]; call != nil && found[call.Form] != "" {
			fields.Query = append(fields.Query, root{field, found[call.Form]})
		}
		if strings.HasPrefix(field.Name, "await") {
			fields.Watched = append(fields.Watched, field)
		}
	}
	for _, field := range data.SubscriptionRoot.Fields {
		if declared[field.FieldDefinition] != nil {
			fields.Watched = append(fields.Watched, field)
		}
	}
	for _, object := range data.Objects {
		if !object.Root && !object.BuiltIn {
			fields.Objects = append(fields.Objects, object)
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
