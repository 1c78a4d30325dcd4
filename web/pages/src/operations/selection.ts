import {
  getDirectiveValues, GraphQLIncludeDirective, GraphQLSkipDirective, Kind, type DocumentNode, type FieldNode, type SelectionSetNode,
} from "graphql";

export type Variables = Record<string, unknown>;

export type Fragments = Map<string, SelectionSetNode>;

export function fragmentsOf(document: DocumentNode): Fragments {
  return new Map(document.definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each.selectionSet]] : [])));
}

/** The fields that a selection set selects, with those of its fragments. A fragment is visited once: another visit selects the same. */
export function fieldsIn(set: SelectionSetNode, fragments: Fragments, variables: Variables, left = new Map(fragments)): FieldNode[] {
  return set.selections.flatMap((selection) => {
    if (getDirectiveValues(GraphQLSkipDirective, selection, variables)?.["if"] === true) return [];
    if (getDirectiveValues(GraphQLIncludeDirective, selection, variables)?.["if"] === false) return [];
    if (selection.kind === Kind.FIELD) return [selection];
    if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsIn(selection.selectionSet, fragments, variables, left);
    const fragment = left.get(selection.name.value);
    left.delete(selection.name.value);
    return fragment ? fieldsIn(fragment, fragments, variables, left) : [];
  });
}
