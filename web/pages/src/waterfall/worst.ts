import {
  getArgumentValues, getDirectiveValues, getNamedType, getOperationAST, getVariableValues, isLeafType, isObjectType, parse,
  type FieldNode, type GraphQLField, type GraphQLObjectType, type GraphQLSchema, type SelectionSetNode,
} from "graphql";
import type { Content } from "../operations/curl.ts";
import { fieldsIn, fragmentsOf, type Variables } from "../operations/selection.ts";

/** What the gateway allows in a document. A link may have any document, and its fragments may contain each other. */
const maxLength = 32_768;
const maxDepth = 15;
const maxFields = 5000;

/**
 * The upstream calls of an operation in the worst case, by the rule of docs/limits.md, so that a user sees them before the gateway
 * computes them. Null if they are not known: the document or its variables have errors.
 */
export function worstCase(schema: GraphQLSchema | null | undefined, { query, operationName, variables }: Omit<Content, "headers">): number | null {
  if (query.length > maxLength) return null;
  try {
    const document = parse(query);
    const operation = getOperationAST(document, operationName);
    const root = operation && schema?.getRootType(operation.operation);
    if (!schema || !root) return null;
    const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], (JSON.parse(variables.trim() || "{}") ?? {}) as Variables);
    if (coerced === undefined) return null;
    const fragments = fragmentsOf(document);
    let visited = 0;
    const callsOf = (type: GraphQLObjectType, sets: readonly SelectionSetNode[], records: number, depth: number): number => {
      const fields = new Map<string, FieldNode[]>(); // merged, by their names in the response
      for (const field of sets.flatMap((set) => fieldsIn(set, fragments, coerced))) {
        const name = (field.alias ?? field.name).value;
        fields.set(name, [...(fields.get(name) ?? []), field]);
        if (++visited > maxFields || depth > maxDepth) throw new Error("the document is too large");
      }
      let calls = 0;
      for (const nodes of fields.values()) {
        const name = nodes[0]?.name.value ?? "";
        if (name.startsWith("__")) continue;
        const field = type.getFields()[name];
        if (field === undefined) throw new Error("the type has no such field");
        const { own, found } = declared(schema, field, nodes[0] as FieldNode, coerced);
        calls += records * own;
        const inner = getNamedType(field.type);
        if (isLeafType(inner) || found === 0) continue;
        if (!isObjectType(inner)) throw new Error("the types of the records are not known");
        calls += callsOf(inner, nodes.flatMap(({ selectionSet }) => selectionSet ?? []), records * found, depth + 1);
      }
      return calls;
    };
    return callsOf(root, [operation.selectionSet], 1, 1);
  } catch {
    return null;
  }
}

/** The calls of a field for one record, and the records below it, as its directive @upstreamCalls says. */
function declared(schema: GraphQLSchema, field: GraphQLField<unknown, unknown>, node: FieldNode, variables: Variables): { own: number; found: number } {
  const directive = schema.getDirective("upstreamCalls");
  const says = directive && field.astNode && getDirectiveValues(directive, field.astNode);
  if (!says) return { own: 0, found: 1 };
  const { pagesArgument, slicingArgument, maxRecords, secondCallWith } = says as Partial<Record<string, string & number>>;
  const given = getArgumentValues(field, node, variables);
  if (pagesArgument !== undefined) return { own: Math.max(1, Number(given[pagesArgument])), found: 0 };
  if (slicingArgument !== undefined) {
    const ids = maxRecords ?? (given[slicingArgument] as unknown[]).length;
    return { own: ids, found: ids };
  }
  return { own: secondCallWith !== undefined && given[secondCallWith] != null ? 2 : 1, found: maxRecords ?? 1 };
}
