import { Kind, parse } from "graphql";

/**
 * The operation to run of a document: the one of that name, or the only one. GraphiQL learns the name some time after
 * another tab was opened, and would ask the new tab's document for the operation of the old one.
 */
export function operationToRun(document: string, name: string | null): string | null {
  const names = namesOf(document);
  if (names === null || (name !== null && names.includes(name))) return name;
  return names.length === 1 ? (names[0] ?? null) : name;
}

/** The names of a document's operations, null for one without; null for a document that cannot be read. */
function namesOf(document: string): (string | null)[] | null {
  try {
    return parse(document).definitions
      .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
      .map((operation) => operation.name?.value ?? null);
  } catch {
    return null;
  }
}
