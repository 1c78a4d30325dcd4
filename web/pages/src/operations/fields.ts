import { getNamedType, Kind, type FragmentDefinitionNode, type GraphQLSchema, type SelectionSetNode } from "graphql";
import { documentOf, operationOf } from "./name.ts";

/** An operation that was run. */
export interface Asked {
  query: string;
  operationName: string | null;
}

/** A field of the schema that an operation selects. */
export interface SelectedField {
  name: string;
  /** The name of its type, without lists and non-null. */
  type: string;
}

/** The fields that an operation selects, by their paths in the response without the indexes of lists, such as "deposits.nodes.amount". */
export type SelectedFields = ReadonlyMap<string, SelectedField>;

/** The maximum number of fields that are visited: fragments may contain each other many times. */
const maxFields = 5000;

/** The fields that an operation selects. Without a schema none are known. */
export function selectedFields(schema: GraphQLSchema | null | undefined, { query, operationName }: Asked): SelectedFields {
  const fields = new Map<string, SelectedField>();
  const document = documentOf(query);
  const operation = document && operationOf(document, operationName);
  if (!schema || !document || !operation) return fields;
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  let visited = 0;
  const visit = (set: SelectionSetNode, typeName: string, prefix: string, within: string[]) => {
    for (const selection of set.selections) {
      if (++visited > maxFields) return;
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        visit(selection.selectionSet, selection.typeCondition?.name.value ?? typeName, prefix, within);
      } else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const name = selection.name.value;
        const fragment = fragments.get(name);
        if (fragment && !within.includes(name)) visit(fragment.selectionSet, fragment.typeCondition.name.value, prefix, [...within, name]);
      } else {
        const parent = schema.getType(typeName);
        const field = parent && "getFields" in parent ? parent.getFields()[selection.name.value] : undefined;
        if (!field) continue;
        const type = getNamedType(field.type).name;
        const path = prefix + (selection.alias ?? selection.name).value;
        fields.set(path, { name: field.name, type });
        if (selection.selectionSet) visit(selection.selectionSet, type, `${path}.`, within);
      }
    }
  };
  visit(operation.selectionSet, schema.getRootType(operation.operation)?.name ?? "", "", []);
  return fields;
}
