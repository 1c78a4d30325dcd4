import { getNamedType, getOperationAST, getVariableValues, OperationTypeNode, parse, type GraphQLSchema } from "graphql";
import type { Content } from "../operations/curl.ts";
import { fieldsIn, fragmentsOf, type Variables } from "../operations/selection.ts";

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
    const fields = new Map(fieldsIn(operation.selectionSet, fragmentsOf(document), coerced).map((field) => [(field.alias ?? field.name).value, field]));
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
