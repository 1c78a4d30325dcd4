// Command generate writes graph/generated and the stubs of the resolvers from the schema. It runs gqlgen with a plugin that
// writes roots.generated.go. `make generate` runs it.
package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"

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
	return api.Generate(settings, api.AddPlugin(roots{}))
}

// roots is a plugin of gqlgen. It writes functions that resolve a field of Query or Subscription with its arguments and
// directives, for the fast path and for streams.
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
	found := map[calls.Form]string{calls.Record: "One", calls.List: "Several", calls.Connection: "Page"}
	var fields struct {
		Query        []root
		Subscription []*codegen.Field
	}
	for _, field := range data.QueryRoot.Fields {
		if call := declared[field.FieldDefinition]; call != nil && found[call.Form] != "" {
			fields.Query = append(fields.Query, root{field, found[call.Form]})
		}
	}
	for _, field := range data.SubscriptionRoot.Fields {
		if declared[field.FieldDefinition] != nil {
			fields.Subscription = append(fields.Subscription, field)
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
