import type { GraphQLArgument, GraphQLInputField, ValueNode } from "graphql";
import { getNullableType, GraphQLBoolean, isEnumType, isInputObjectType, Kind, parseValue } from "graphql";
import { useState } from "react";
import { isText, literalOf } from "./defaults.ts";
import type { Draft } from "./draft.ts";
import { entryOf, setEntry, type Container } from "./edit.ts";

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

function EntryRow({ entry, container, draft }: { entry: Input; container: Container; draft: Draft }) {
  const value = entryOf(container, entry.name)?.value ?? null;
  const type = getNullableType(entry.type);
  const set = (literal: string | null) => draft.apply(setEntry(draft.text, container, entry.name, literal));
  const isObject = isInputObjectType(type) && value?.kind === Kind.OBJECT;
  return (
    <li>
      <div className="explorer-row">
        <label title={entry.description ?? ""}>
          <input type="checkbox" checked={value !== null} onChange={() => set(value === null ? literalOf(entry.type) : null)} />
          <span>{entry.name}:</span>
        </label>
        {value === null && <span className="explorer-type">{String(entry.type)}</span>}
        {value !== null && !isObject && <Value entry={entry} value={value} text={draft.text} set={set} />}
      </div>
      {isObject && <EntryRows entries={Object.values(type.getFields())} container={value} draft={draft} />}
    </li>
  );
}

/** A control for a value: a list of choices if there are few, otherwise a text. "$name" is a variable. */
function Value({ entry, value, text, set }: { entry: Input; value: ValueNode; text: string; set: (literal: string) => void }) {
  const label = `Value of ${entry.name}`;
  const literal = text.slice(value.loc?.start, value.loc?.end);
  const choices = choicesOf(entry);
  if (choices.includes(literal)) {
    return (
      <select aria-label={label} value={literal} onChange={(event) => set(event.target.value)}>
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  }
  return <TextValue key={entry.name} label={label} entry={entry} value={value} literal={literal} set={set} />;
}

function choicesOf(entry: Input): string[] {
  const type = getNullableType(entry.type);
  if (isEnumType(type)) return type.getValues().map(({ name }) => name);
  return type === GraphQLBoolean ? ["true", "false"] : [];
}

interface TextValueProps {
  label: string;
  entry: Input;
  value: ValueNode;
  literal: string;
  set: (literal: string) => void;
}

/** An input for a literal. While it is invalid, the query keeps the last valid one. */
function TextValue({ label, entry, value, literal, set }: TextValueProps) {
  const shown = value.kind === Kind.STRING && isText(entry.type) ? value.value : literal;
  const [typed, type] = useState<string | null>(null);
  const change = (input: string) => {
    const next = literalOfInput(input, entry);
    type(next === null ? input : null);
    if (next !== null) set(next);
  };
  return (
    <input type="text" aria-label={label} aria-invalid={typed !== null} value={typed ?? shown} spellCheck={false} onChange={(event) => change(event.target.value)} />
  );
}

/** The literal for what the user typed, null if it is invalid. */
function literalOfInput(input: string, entry: Input): string | null {
  const isVariable = /^\$[_A-Za-z]\w*$/.test(input);
  if (isText(entry.type) && !isVariable) return JSON.stringify(input);
  try {
    parseValue(input);
    return input;
  } catch {
    return null;
  }
}
