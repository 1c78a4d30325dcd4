import { isEnumType, type GraphQLSchema } from "graphql";

/** What the schema says about a value of an enum, as plain text; null for a value that it does not have. */
export type Meaning = (type: string, value: unknown) => string | null;

export function meaningIn(schema: GraphQLSchema | null | undefined): Meaning {
  return (type, value) => {
    const of = schema?.getType(type);
    const description = isEnumType(of) && typeof value === "string" ? of.getValue(value)?.description : null;
    return description ? description.replaceAll("`", "").replaceAll(/\s+/g, " ") : null;
  };
}

/** The name of a field in words, such as "Amount paid" for amountPaid. */
export function labelOf(field: string): string {
  const words = field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
