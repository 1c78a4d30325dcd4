import type { GraphQLField, GraphQLInputType, GraphQLObjectType } from "graphql";
import {
  getNamedType, getNullableType, GraphQLBoolean, GraphQLFloat, GraphQLInt, isEnumType, isInputObjectType, isListType, isObjectType,
  isRequiredArgument, isRequiredInputField,
} from "graphql";

/** The fields of a type that users select: `_entities` and `_service` are for routers of a federated schema. */
export function fieldsOf(type: GraphQLObjectType): GraphQLField<unknown, unknown>[] {
  return Object.values(type.getFields()).filter(({ name }) => !name.startsWith("_"));
}

/** A field of the schema as it is selected first: with its required arguments and, of an object, its most useful field. */
export function selectionOf(field: GraphQLField<unknown, unknown>, selections: string | null = null): string {
  const args = field.args.filter(isRequiredArgument).map((arg) => `${arg.name}: ${literalOf(arg.type)}`);
  const inner = selections ?? firstSelection(field);
  const head = field.name + (args.length > 0 ? `(${args.join(", ")})` : "");
  return inner === null ? head : `${head} {\n${inner.replaceAll(/^/gm, "  ")}\n}`;
}

/** id, or the nodes of a connection, or the first field without required arguments; null for a field that is no object. */
function firstSelection(field: GraphQLField<unknown, unknown>): string | null {
  const type = getNamedType(field.type);
  if (!isObjectType(type)) return null;
  const { id, nodes, ...others } = type.getFields();
  if (id !== undefined) return "id";
  if (nodes !== undefined) return selectionOf(nodes);
  const leaf = Object.values(others).find((other) => !isObjectType(getNamedType(other.type)) && !other.args.some(isRequiredArgument));
  return leaf?.name ?? "__typename";
}

/** A literal to begin with. */
export function literalOf(input: GraphQLInputType): string {
  const type = getNullableType(input);
  if (isListType(type)) return `[${literalOf(type.ofType)}]`;
  if (isEnumType(type)) return type.getValues()[0]?.name ?? "null";
  if (isInputObjectType(type)) {
    const required = Object.values(type.getFields()).filter(isRequiredInputField);
    return `{${required.map((field) => `${field.name}: ${literalOf(field.type)}`).join(", ")}}`;
  }
  if (type === GraphQLInt || type === GraphQLFloat) return "1";
  return type === GraphQLBoolean ? "true" : '""';
}
