import { digitsOf, isRecord } from "../base/exact.ts";
import { localTime } from "../base/format.ts";
import { amountText } from "../base/money.ts";
import { fold } from "../operations/answered.ts";
import type { SelectedFields } from "../operations/fields.ts";

export interface Table {
  /** The path of the records in the response, such as "deposits.nodes". */
  path: string;
  /** The names of the columns. A single record has one row for each field instead. */
  columns: string[];
  rows: Row[];
  /** The number of rows, columns or lists that are not shown. */
  omitted: number;
}

export interface Row {
  /** The name of the field, in the table of a single record. */
  name: string | null;
  cells: (Cell | null)[];
}

export interface Cell {
  /** The value exactly as the gateway sent it: what is copied. */
  value: string;
  /** A short form of a long value. */
  short: string | null;
  /** The same in the form of the reader: an amount in reais, a time in the reader's zone. */
  local: string | null;
}

/** Free-form JSON can have any number of fields, lists and levels. */
const maxRows = 500;
const maxColumns = 60;
const maxLists = 50;
const maxLevels = 20;

/** The records of a response as tables, in its order; then its errors. */
export function tablesOf(answer: unknown, selected: SelectedFields): Table[] {
  if (!isRecord(answer)) return [];
  const tables: Table[] = [];
  if (isRecord(answer["data"])) {
    for (const [key, value] of Object.entries(answer["data"])) addTables(tables, key, value, selected);
  }
  const errors = answer["errors"];
  if (Array.isArray(errors)) tables.push(list("errors", errors.map(errorRow), selected));
  return tables.filter(({ rows, omitted }) => rows.length > 0 || omitted > 0);
}

function errorRow(error: unknown): Record<string, unknown> {
  const { path, message, extensions } = (isRecord(error) ? error : {}) as Record<string, unknown>;
  return {
    path: Array.isArray(path) ? path.join(".") : null, message, code: isRecord(extensions) ? extensions["code"] : undefined,
  };
}

function addTables(tables: Table[], path: string, value: unknown, selected: SelectedFields): void {
  if (Array.isArray(value)) {
    tables.push(list(path, value, selected));
    return;
  }
  const fields = flatten(value, path, selected);
  const own: Row[] = [];
  const lists: [string, unknown][] = [];
  for (const { name, cell, records } of fields) {
    if (records) lists.push([name === "" ? path : `${path}.${name}`, records]);
    else own.push({ name: name || path, cells: [cell] });
  }
  const omitted = Math.max(own.length - maxRows, 0) + Math.max(lists.length - maxLists, 0);
  tables.push({ path, columns: [], rows: own.slice(0, maxRows), omitted });
  for (const [at, records] of lists.slice(0, maxLists)) addTables(tables, at, records, selected);
}

function list(path: string, values: unknown[], selected: SelectedFields): Table {
  const rows = values.slice(0, maxRows).map((value) => new Map(flatten(value, path, selected).map(({ name, cell }) => [name, cell])));
  const names = withoutNulls(rows);
  const columns = names.slice(0, maxColumns);
  return {
    path, columns: columns.map((name) => name || "value"),
    rows: rows.map((row) => ({ name: null, cells: columns.map((name) => row.get(name) ?? null) })),
    omitted: Math.max(values.length - maxRows, names.length - maxColumns, 0),
  };
}

/**
 * The names of all fields of the rows. A record that is null in one row and has fields in another gives each of these fields
 * its null, and no column of its own.
 */
function withoutNulls(rows: Map<string, Cell>[]): string[] {
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const parts = partsOf(names);
  return names.filter((name) => {
    const own = parts.get(name);
    if (own === undefined || rows.some((row) => row.has(name) && row.get(name)?.value !== "null")) return true;
    for (const row of rows) {
      const cell = row.get(name);
      if (cell) for (const part of own) row.set(part, cell);
    }
    return false;
  });
}

/** The names that are parts of a name. The empty name is that of a row without fields. */
function partsOf(names: string[]): Map<string, string[]> {
  const parts = new Map<string, string[]>(names.map((name) => [name, []]));
  for (const name of names) {
    if (name !== "") parts.get("")?.push(name);
    for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) parts.get(name.slice(0, dot))?.push(name);
  }
  for (const [name, own] of parts) if (own.length === 0) parts.delete(name);
  return parts;
}

interface Field {
  /** The path within the record. */
  name: string;
  cell: Cell;
  /** The elements, if the field is a list of records. */
  records?: unknown[];
}

/** The fields of a record, with those of its parts; a list of records is one field. */
function flatten(value: unknown, path: string, selected: SelectedFields, prefix = "", level = 0): Field[] {
  if (isRecord(value) && Object.keys(value).length > 0 && level < maxLevels) {
    return Object.entries(value).flatMap(([key, member]) =>
      flatten(member, `${path}.${key}`, selected, prefix === "" ? key : `${prefix}.${key}`, level + 1),
    );
  }
  const field: Field = { name: prefix, cell: cellOf(value, selected.get(path)?.type === "Cents") };
  if (Array.isArray(value) && value.some(isRecord)) field.records = value;
  return [field];
}

/** A text that is longer is abbreviated. */
const longText = 200;

function cellOf(value: unknown, isCents: boolean): Cell {
  if (typeof value === "string") {
    const folded = fold(value);
    const short = folded === value && value.length > longText ? `${value.slice(0, longText)}…` : folded;
    return { value, short: short === value ? null : short, local: localTime(value) };
  }
  const text = digitsOf(value) ?? JSON.stringify(value, null, 2);
  if (Array.isArray(value) && value.length > 0) {
    return { value: text, short: value.length === 1 ? "1 element" : `${value.length} elements`, local: null };
  }
  return { value: text, short: text.length > longText ? `${text.slice(0, longText)}…` : null, local: isCents ? amountText(digitsOf(value)) : null };
}
