import { digitsOf } from "../exact.ts";
import { localTime, reais } from "../format.ts";
import { fold } from "./answers.ts";

export interface Table {
  /** The path of the records in the response, such as "deposits.nodes". */
  path: string;
  /** The names of the columns. A single record has one row for each field instead. */
  columns: string[];
  rows: Row[];
  /** The number of rows or columns that are not shown. */
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

/** Free-form JSON can have any number of fields. */
const maxRows = 500;
const maxColumns = 60;

/** The records of a response as tables, in its order; then its errors. */
export function tablesOf(answer: unknown, cents: ReadonlySet<string>): Table[] {
  if (!isRecord(answer)) return [];
  const tables: Table[] = [];
  if (isRecord(answer["data"])) {
    for (const [key, value] of Object.entries(answer["data"])) addTables(tables, key, value, cents);
  }
  const errors = answer["errors"];
  if (Array.isArray(errors)) tables.push(list("errors", errors.map(errorRow), cents));
  return tables.filter(({ rows }) => rows.length > 0);
}

function errorRow(error: unknown): Record<string, unknown> {
  const { path, message, extensions } = (isRecord(error) ? error : {}) as Record<string, unknown>;
  return {
    path: Array.isArray(path) ? path.join(".") : null, message, code: isRecord(extensions) ? extensions["code"] : undefined,
  };
}

function addTables(tables: Table[], path: string, value: unknown, cents: ReadonlySet<string>): void {
  if (Array.isArray(value)) {
    tables.push(list(path, value, cents));
    return;
  }
  const fields = flatten(value, path, cents);
  const own: Row[] = [];
  const lists: [string, unknown][] = [];
  for (const { name, cell, records } of fields) {
    if (records) lists.push([name === "" ? path : `${path}.${name}`, records]);
    else own.push({ name: name || path, cells: [cell] });
  }
  tables.push({ path, columns: [], rows: own.slice(0, maxRows), omitted: Math.max(own.length - maxRows, 0) });
  for (const [at, records] of lists) addTables(tables, at, records, cents);
}

function list(path: string, values: unknown[], cents: ReadonlySet<string>): Table {
  const rows = values.slice(0, maxRows).map((value) => new Map(flatten(value, path, cents).map(({ name, cell }) => [name, cell])));
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
  return names.filter((name) => {
    const parts = names.filter((other) => name === "" ? other !== "" : other.startsWith(`${name}.`));
    if (parts.length === 0 || rows.some((row) => row.has(name) && row.get(name)?.value !== "null")) return true;
    for (const row of rows) {
      const cell = row.get(name);
      if (cell) for (const part of parts) row.set(part, cell);
    }
    return false;
  });
}

interface Field {
  /** The path within the record. */
  name: string;
  cell: Cell;
  /** The elements, if the field is a list of records. */
  records?: unknown[];
}

/** The fields of a record, with those of its parts; a list of records is one field. */
function flatten(value: unknown, path: string, cents: ReadonlySet<string>, prefix = ""): Field[] {
  if (isRecord(value) && digitsOf(value) === null && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([key, member]) =>
      flatten(member, `${path}.${key}`, cents, prefix === "" ? key : `${prefix}.${key}`),
    );
  }
  const field: Field = { name: prefix, cell: cellOf(value, cents.has(path)) };
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
  return { value: text, short: null, local: isCents ? reais(value) : null };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
