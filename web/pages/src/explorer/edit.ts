import type {
  ArgumentNode, ASTNode, DocumentNode, FieldNode, ObjectFieldNode, ObjectValueNode, OperationDefinitionNode,
} from "graphql";
import { Kind } from "graphql";
import { documentOf } from "../operations/name.ts";

/** Replaces the characters from start to end of a document. The rest of it, with its comments, is unchanged. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Line and column, both from 1, of an offset into a text whose lines end with "\n". */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

/** A place for fields: an operation, or a field with a selection set. */
export type Parent = OperationDefinitionNode | FieldNode;

/** A place for named values: the arguments of a field, or the fields of an input object. */
export type Container = FieldNode | ObjectValueNode;

type Entry = ArgumentNode | ObjectFieldNode;

/** The document, or null if it has a syntax error. A document without a definition is empty. */
export function parseDocument(text: string): DocumentNode | null {
  const isEmpty = text.split("\n").every((line) => line.trim() === "" || line.trimStart().startsWith("#"));
  return isEmpty ? { kind: Kind.DOCUMENT, definitions: [] } : documentOf(text);
}

/** Adds an operation with the selected fields to a document without one. */
export function addOperation(text: string, selections: string): Edit {
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  return { start: text.length, end: text.length, text: `${gap}query {\n${indent(selections, 1)}\n}\n` };
}

/** Adds fields at the end of a selection set; if the parent has none yet, adds that too. */
export function addSelections(text: string, parent: Parent, selections: string): Edit {
  const { start, end } = place(parent);
  const depth = depthAt(text, start);
  const lines = indent(selections, depth + 1);
  const set = parent.selectionSet;
  if (set === undefined) return { start: end, end, text: ` {\n${lines}\n${indent("}", depth)}` };
  const last = set.selections.at(-1);
  const from = last === undefined ? place(set).start + 1 : endOfLineComment(text, place(last).end);
  const closing = place(set).end - 1;
  const hasComment = text.slice(from, closing).trim() !== "";
  return { start: hasComment ? closing : from, end: closing, text: `\n${lines}\n${indent("", depth)}` };
}

/** Removes a field, and each of its parents, innermost first, that has no other field. */
export function removeField(text: string, field: FieldNode, parents: Parent[]): Edit {
  let node: Parent = field;
  for (const parent of parents) {
    if (parent.selectionSet !== undefined && parent.selectionSet.selections.length > 1) break;
    node = parent;
  }
  const { start, end } = place(node);
  const until = endOfLineComment(text, end);
  const line = text.lastIndexOf("\n", start - 1);
  const isFirst = text.slice(line + 1, start).trim() === "";
  const isAlone = isFirst && (until === text.length || text[until] === "\n");
  if (isAlone) return { start: Math.max(line, 0), end: until, text: "" };
  return { start: isFirst ? start : text.slice(0, start).trimEnd().length, end: until, text: "" };
}

/** Sets an argument or a field of an input object to a literal; null removes it. */
export function setEntry(text: string, container: Container, name: string, literal: string | null): Edit | null {
  const entries = entriesOf(container);
  const index = entries.findIndex((entry) => entry.name.value === name);
  const entry = entries[index];
  if (entry === undefined) {
    if (literal === null) return null;
    const last = entries.at(-1);
    if (last !== undefined) return insertion(place(last).end, `, ${name}: ${literal}`);
    if (container.kind === Kind.OBJECT) return insertion(place(container).start + 1, ` ${name}: ${literal} `);
    return insertion(place(container.name).end, `(${name}: ${literal})`);
  }
  if (literal !== null) return { ...place(entry.value), text: literal };
  const next = entries[index + 1];
  const previous = entries[index - 1];
  if (next !== undefined) return { start: place(entry).start, end: place(next).start, text: "" };
  if (previous !== undefined) return { start: place(previous).end, end: place(entry).end, text: "" };
  if (container.kind === Kind.OBJECT) return { ...place(entry), text: "" };
  const closing = /^(?:[\s,]|#[^\n]*)*\)/.exec(text.slice(place(entry).end))?.[0] ?? "";
  return { start: place(container.name).end, end: place(entry).end + closing.length, text: "" };
}

/** The argument or field of an input object with the name. */
export function entryOf(container: Container | null, name: string): Entry | null {
  return container === null ? null : (entriesOf(container).find((entry) => entry.name.value === name) ?? null);
}

function entriesOf(container: Container): readonly Entry[] {
  return (container.kind === Kind.OBJECT ? container.fields : container.arguments) ?? [];
}

function insertion(at: number, text: string): Edit {
  return { start: at, end: at, text };
}

/** Where a parsed node is. The parser sets it, unless it is told not to. */
function place(node: ASTNode): { start: number; end: number } {
  if (node.loc === undefined) throw new Error("a node without a location");
  return { start: node.loc.start, end: node.loc.end };
}

/** The end of the line if only a comment is between: it describes what is before it. */
function endOfLineComment(text: string, at: number): number {
  return at + (/^[ \t,]*#[^\n]*/.exec(text.slice(at))?.[0].length ?? 0);
}

/** How deep a line is indented, in steps of two spaces. */
function depthAt(text: string, at: number): number {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return Math.floor((/^ */.exec(line)?.[0].length ?? 0) / 2);
}

function indent(text: string, depth: number): string {
  return text.split("\n").map((line) => "  ".repeat(depth) + line).join("\n");
}
