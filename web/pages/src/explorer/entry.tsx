import type { GraphQLArgument, GraphQLInputField } from "graphql";
import { getNullableType, isInputObjectType, isRequiredArgument, Kind } from "graphql";
import { useState } from "react";
import { controlOf } from "./controls.ts";
import { literalOf } from "./defaults.ts";
import type { Draft } from "./draft.ts";
import { entryOf, setEntry, type Container } from "./edit.ts";
import { Value } from "./value.tsx";

type Input = GraphQLArgument | GraphQLInputField;

/** Arguments of a field, or fields of an input object, with their values. */
export function EntryRows({ entries, container, draft }: { entries: readonly Input[]; container: Container; draft: Draft }) {
  return (
    <ul className="explorer-rows explorer-entries">
      {entries.map((entry) => (
        <EntryRow key={entry.name} entry={entry} container={container} draft={draft} />
      ))}
    </ul>
  );
}

/** One of them. Its control stays when the user empties it, which removes the argument from the query. */
function EntryRow({ entry, container, draft }: { entry: Input; container: Container; draft: Draft }) {
  const [ticked, tick] = useState(isRequiredArgument(entry));
  const value = entryOf(container, entry.name)?.value ?? null;
  const literal = value === null ? null : draft.text.slice(value.loc?.start, value.loc?.end);
  const type = getNullableType(entry.type);
  const set = (next: string | null) => draft.apply(setEntry(draft.text, container, entry.name, next));
  const shown = value !== null || ticked;
  const toggle = () => {
    tick(!shown);
    if (shown) set(null);
    else if (controlOf(entry.type) === null) set(literalOf(entry.type));
  };
  const enter = (next: string | null) => {
    tick(true);
    set(next);
  };
  const isObject = isInputObjectType(type) && value?.kind === Kind.OBJECT;
  return (
    <li>
      <div className="explorer-row">
        <label title={entry.description ?? ""}>
          <input type="checkbox" checked={shown} onChange={toggle} />
          <span>{entry.name}:</span>
        </label>
        {!shown && <span className="explorer-type">{String(entry.type)}</span>}
        {shown && !isObject && <Value name={entry.name} type={entry.type} value={value} literal={literal} set={enter} />}
      </div>
      {isObject && <EntryRows entries={Object.values(type.getFields())} container={value} draft={draft} />}
    </li>
  );
}
