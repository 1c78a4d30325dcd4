import { Kind, parse, print, visit, type ExecutionResult, type FieldNode, type SelectionSetNode } from "graphql";
import { operationOf } from "../operations/name.ts";

/** What GraphiQL requests. */
export interface Request {
  query: string;
  operationName: string | null;
  variables?: Record<string, unknown>;
}

/** The time of the last change that an event shows; null if updatedAt is not selected. */
export function changeIn({ data }: ExecutionResult): string | null {
  const record = Object.values(data ?? {})[0];
  const updated = typeof record === "object" && record !== null && "updatedAt" in record ? record.updatedAt : null;
  return typeof updated === "string" ? updated : null;
}

/** The request that continues a subscription after a time: with the argument `since`, a status reached meanwhile ends it. */
export function resumed(request: Request, since: string): Request {
  const document = parse(request.query);
  const root = rootOf(operationOf(document, request.operationName)?.selectionSet);
  const given = root?.arguments?.find(({ name }) => name.value === "since")?.value;
  if (given?.kind === Kind.VARIABLE) return { ...request, variables: { ...request.variables, [given.name.value]: since } };
  const argument = { kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: "since" }, value: { kind: Kind.STRING, value: since } } as const;
  const query = print(visit(document, {
    Field(field) {
      const others = (field.arguments ?? []).filter(({ value }) => value !== given);
      return field === root ? { ...field, arguments: [...others, argument] } : undefined;
    },
  }));
  return { ...request, query };

  /** The only field of a subscription, which may be in fragments. */
  function rootOf(selected: SelectionSetNode | undefined): FieldNode | null {
    const [selection] = selected?.selections ?? [];
    switch (selection?.kind) {
      case Kind.FIELD:
        return selection;
      case Kind.INLINE_FRAGMENT:
        return rootOf(selection.selectionSet);
      case Kind.FRAGMENT_SPREAD:
        return rootOf(document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
          .find(({ name }) => name.value === selection.name.value)?.selectionSet);
      default:
        return null;
    }
  }
}

/** Waits before the nth try to connect again: at most 10 seconds, and for a random time, so that not all pages come back at once. */
export function pauseBefore(tries: number, signal: AbortSignal): Promise<void> {
  const milliseconds = Math.min(10_000, 500 * 2 ** (tries - 1)) * (0.5 + Math.random() / 2);
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    setTimeout(resolve, milliseconds);
  });
}
