import { getNamedType, isCompositeType, Kind, parse, type DocumentNode, type GraphQLSchema, type SelectionSetNode } from "graphql";

/** The maximum number of fields that are visited: fragments may contain each other many times. */
const maxFields = 5000;

/** The paths of amounts in the response to a document, such as "deposits.nodes.amount". Without a schema none are known. */
export function centsPaths(schema: GraphQLSchema | null | undefined, query: string): Set<string> {
  const paths = new Set<string>();
  let fields = 0;
  let document: DocumentNode;
  try {
    document = parse(query);
  } catch {
    return paths;
  }
  const visit = (set: SelectionSetNode, typeName: string, prefix: string, within: string[]) => {
    for (const selection of set.selections) {
      if (++fields > maxFields) return;
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        visit(selection.selectionSet, selection.typeCondition?.name.value ?? typeName, prefix, within);
      } else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const name = selection.name.value;
        const fragment = document.definitions.find((definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name);
        if (fragment?.kind !== Kind.FRAGMENT_DEFINITION || within.includes(name)) continue;
        visit(fragment.selectionSet, fragment.typeCondition.name.value, prefix, [...within, name]);
      } else {
        const parent = schema?.getType(typeName);
        const field = parent && "getFields" in parent ? parent.getFields()[selection.name.value] : undefined;
        if (!field) continue;
        const type = getNamedType(field.type);
        const path = prefix + (selection.alias ?? selection.name).value;
        if (type.name === "Cents") paths.add(path);
        if (selection.selectionSet && isCompositeType(type)) visit(selection.selectionSet, type.name, `${path}.`, within);
      }
    }
  };
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) visit(definition.selectionSet, schema?.getRootType(definition.operation)?.name ?? "", "", []);
  }
  return paths;
}
