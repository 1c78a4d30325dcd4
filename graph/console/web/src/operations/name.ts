import { Kind, OperationTypeNode, parse, type OperationDefinitionNode } from "graphql";

/**
 * The name of the operation to run: the given name, or that of the document's only operation. After a change of tabs
 * GraphiQL updates the name with a delay, and would request the operation of the old tab from the document of the new
 * one.
 */
export function operationToRun(document: string, name: string | null): string | null {
  const names = operationsOf(document)?.map((operation) => operation.name?.value ?? null) ?? null;
  if (names === null || (name !== null && names.includes(name))) return name;
  return names.length === 1 ? (names[0] ?? null) : name;
}

/** Whether the operation to run is a subscription. */
export function isSubscription(document: string, toRun: string | null): boolean {
  const operations = operationsOf(document) ?? [];
  const operation = operations.find(({ name }) => name?.value === toRun) ?? operations[0];
  return operation?.operation === OperationTypeNode.SUBSCRIPTION;
}

/** The operations of a document; null for a document with syntax errors. */
function operationsOf(document: string): OperationDefinitionNode[] | null {
  try {
    return parse(document).definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  } catch {
    return null;
  }
}
