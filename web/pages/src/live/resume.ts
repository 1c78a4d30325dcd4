import { Kind, parse, print, visit, type FieldNode, type SelectionSetNode } from "graphql";
import { operationOf } from "../operations/name.ts";

/** What GraphiQL requests. */
export interface Request {
  query: string;
  operationName: string | null;
  variables?: Record<string, unknown>;
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
