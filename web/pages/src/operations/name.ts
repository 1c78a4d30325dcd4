import { Kind, OperationTypeNode, parse, type DocumentNode, type OperationDefinitionNode } from "graphql";

/**
 * The name of the operation to run: the given name, or that of the document's only operation. After a change of tabs
 * GraphiQL updates the name with a delay, and would request the operation of the old tab from the document of the new
 * one.
 */
export function operationToRun(document: string, name: string | null): string | null {
  const parsed = documentOf(document);
  if (parsed === null) return name;
  const names = operationsIn(parsed).map((operation) => operation.name?.value ?? null);
  if (name !== null && names.includes(name)) return name;
  return names.length === 1 ? (names[0] ?? null) : name;
}

/** Whether the operation to run is a subscription. */
export function isSubscription(document: string, toRun: string | null): boolean {
  const parsed = documentOf(document);
  return parsed !== null && operationOf(parsed, toRun)?.operation === OperationTypeNode.SUBSCRIPTION;
}

/** The operation with a name, otherwise the first one; null without operations. */
export function operationOf(document: DocumentNode, name: string | null): OperationDefinitionNode | null {
  const operations = operationsIn(document);
  return operations.find((operation) => operation.name?.value === name) ?? operations[0] ?? null;
}

function operationsIn(document: DocumentNode): OperationDefinitionNode[] {
  return document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
}

/** The document; null if it has syntax errors. */
export function documentOf(document: string): DocumentNode | null {
  try {
    return parse(document);
  } catch {
    return null;
  }
}
