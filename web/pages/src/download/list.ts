import {
  getDirectiveValues, getNamedType, getOperationAST, getVariableValues, GraphQLIncludeDirective, GraphQLSkipDirective, Kind,
  OperationTypeNode, parse, type FieldNode, type GraphQLSchema, type SelectionSetNode,
} from "graphql";
import type { Content } from "../operations/curl.ts";

type Variables = Record<string, unknown>;

/**
 * The response name of the list or the summary that an operation downloads; null if it cannot be a download, as far as the
 * page can tell: it must be a query for one list, next to which summaries are ignored, or for one summary. The gateway
 * checks the rest, and says why it refuses one.
 */
export function listOf(schema: GraphQLSchema | null | undefined, { query, operationName, variables }: Omit<Content, "headers">): string | null {
  try {
    const document = parse(query);
    const operation = getOperationAST(document, operationName);
    const type = schema?.getQueryType();
    if (!schema || !type || operation?.operation !== OperationTypeNode.QUERY) return null;
    const given = getVariableValues(schema, operation.variableDefinitions ?? [], (JSON.parse(variables.trim() || "{}") ?? {}) as Variables);
    if (given.coerced === undefined) return null;
    const { coerced } = given;
    const fragments = new Map(document.definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each.selectionSet]] : [])));
    const fields = new Map(rootFields(operation.selectionSet, fragments, coerced).map((field) => [(field.alias ?? field.name).value, field]));
    const named = (suffix: string) => [...fields.keys()].filter((name) => {
      const definition = type.getFields()[fields.get(name)?.name.value ?? ""];
      return definition !== undefined && getNamedType(definition.type).name.endsWith(suffix);
    });
    const [lists, summaries] = [named("Connection"), named("Summary")];
    if (lists.length + summaries.length !== fields.size || lists.length > 1 || lists.length === 0 && summaries.length > 1) return null;
    return lists[0] ?? summaries[0] ?? null;
  } catch {
    return null; // the document or its variables have errors
  }
}

/** The selected fields of the root. A fragment is visited once: another visit selects the same. */
function rootFields(set: SelectionSetNode, fragments: Map<string, SelectionSetNode>, variables: Variables): FieldNode[] {
  return set.selections.flatMap((selection) => {
    if (getDirectiveValues(GraphQLSkipDirective, selection, variables)?.["if"] === true) return [];
    if (getDirectiveValues(GraphQLIncludeDirective, selection, variables)?.["if"] === false) return [];
    if (selection.kind === Kind.FIELD) return [selection];
    if (selection.kind === Kind.INLINE_FRAGMENT) return rootFields(selection.selectionSet, fragments, variables);
    const fragment = fragments.get(selection.name.value);
    fragments.delete(selection.name.value);
    return fragment ? rootFields(fragment, fragments, variables) : [];
  });
}
