import { Kind, parse } from "graphql";

/**
 * The name of the operation to run: the given name, or that of the document's only operation. After a change of tabs
 * GraphiQL updates the name with a delay, and would request the operation of the old tab from the document of the new
 * one.
 */
export function operationToRun(document: string, name: string | null): string | null {
  const names = namesOf(document);
  if (names === null || (name !== null && names.includes(name))) return name;
  return names.length === 1 ? (names[0] ?? null) : name;
}

/** The names of a document's operations, null for an unnamed one; null for a document with syntax errors. */
function namesOf(document: string): (string | null)[] | null {
  try {
    return parse(document).definitions
      .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
      .map((operation) => operation.name?.value ?? null);
  } catch {
    return null;
  }
}
