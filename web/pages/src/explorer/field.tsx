import type { FieldNode, GraphQLField, GraphQLObjectType } from "graphql";
import { getNamedType, isObjectType, Kind } from "graphql";
import { useState } from "react";
import { fieldsOf, selectionOf } from "./defaults.ts";
import type { Draft } from "./draft.ts";
import { addSelections, removeField, type Parent } from "./edit.ts";
import { EntryRows } from "./entry.tsx";

interface Place {
  /** Adds selections to the parent, which is selected first if it is not yet. */
  insert: (selections: string) => void;
  /** The selected parents, innermost first. */
  parents: Parent[];
  draft: Draft;
}

/** The fields of a type: one row for each, and one for each of its aliases. */
export function FieldRows({ type, ...place }: Place & { type: GraphQLObjectType }) {
  const selected = place.parents[0]?.selectionSet?.selections.filter((selection) => selection.kind === Kind.FIELD) ?? [];
  return (
    <ul className="explorer-rows">
      {fieldsOf(type).map((field) => {
        const nodes = selected.filter((node) => node.name.value === field.name);
        if (nodes.length === 0) return <FieldRow key={field.name} field={field} node={null} {...place} />;
        return nodes.map((node, index) => <FieldRow key={field.name + (index || "")} field={field} node={node} {...place} />);
      })}
    </ul>
  );
}

function FieldRow({ field, node, insert, parents, draft }: Place & { field: GraphQLField<unknown, unknown>; node: FieldNode | null }) {
  const [chosen, choose] = useState<boolean | null>(null);
  const open = chosen ?? node !== null;
  const type = getNamedType(field.type);
  const expandable = isObjectType(type) || field.args.length > 0;
  const tick = () => (node === null ? insert(selectionOf(field)) : draft.apply(removeField(draft.text, node, parents)));
  const insertInner = (selections: string) =>
    node === null ? insert(selectionOf(field, selections)) : draft.apply(addSelections(draft.text, node, selections));
  return (
    <li>
      <div className="explorer-row">
        {expandable && (
          <button type="button" className="explorer-toggle" aria-expanded={open} aria-label={`Contents of ${field.name}`} onClick={() => choose(!open)}>
            {open ? "▾" : "▸"}
          </button>
        )}
        <label title={field.description ?? ""}>
          <input type="checkbox" checked={node !== null} onChange={tick} />
          <span>{node?.alias === undefined ? field.name : `${node.alias.value}: ${field.name}`}</span>
        </label>
        <span className="explorer-type">{String(field.type)}</span>
      </div>
      {open && node !== null && field.args.length > 0 && <EntryRows entries={field.args} container={node} draft={draft} />}
      {open && isObjectType(type) && (
        <FieldRows type={type} parents={node === null ? [] : [node, ...parents]} insert={insertInner} draft={draft} />
      )}
    </li>
  );
}
