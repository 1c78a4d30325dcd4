import type { SelectedFields } from "../operations/fields.ts";
import { isRecord } from "../base/exact.ts";

/** A value of a response that is shown as more than text. */
export interface Preview {
  kind: Kind;
  /** The path of the value in the response. */
  path: string;
  /** A text, or the value of a derived field with the field names of the schema instead of aliases. */
  value: unknown;
}

type Kind = "image" | "code" | "brCode" | "delivery" | "timeline" | "summary";

/** What is shown of a value of a type. */
const kinds: Readonly<Record<string, Kind>> = {
  BRCode: "brCode", Delivery: "delivery", TimelineEntry: "timeline", DepositSummary: "summary", WithdrawalSummary: "summary",
};

/** The previews of one object of a response: a QR code, its text and what that says belong together. */
export type Group = Preview[];

export interface Found {
  groups: Group[];
  /** The number of previews that are not in the groups. */
  omitted: number;
}

/** The order in a group: what a code says is next to its image. */
const order: readonly Kind[] = ["code", "image", "brCode", "delivery", "timeline", "summary"];

/** The maximum number of previews for one response: a page of records can have hundreds. */
export const maxPreviews = 12;

/** The maximum depth: free-form JSON can have so many levels that a recursion overflows the stack. */
const maxLevels = 50;

/** Finds the previews of a response's data, in its order. Those of derived fields are found by their types. */
export function findPreviews(data: unknown, selected: SelectedFields): Found {
  const groups = new Map<string, Group>();
  let count = 0;
  const add = (parent: string, preview: Preview) => {
    if (++count > maxPreviews) return;
    const group = groups.get(parent);
    if (group) group.push(preview);
    else groups.set(parent, [preview]);
  };
  /** name is the path without the indexes of lists. */
  const search = (value: unknown, path: string, parent: string, name: string, level: number) => {
    if (level > maxLevels) return;
    const kind = kindOf(value, selected.get(name)?.type);
    if (kind !== null) {
      const shown = withFieldNames(value, name, selected);
      if (!isRecord(shown) || Object.keys(shown).length > 0) add(parent, { kind, path, value: shown }); // not __typename alone
    } else if (Array.isArray(value)) {
      value.forEach((element, index) => search(element, `${path}.${index}`, path, name, level + 1));
    } else if (isRecord(value)) {
      for (const [key, member] of Object.entries(value)) {
        search(member, level === 0 ? key : `${path}.${key}`, path, level === 0 ? key : `${name}.${key}`, level + 1);
      }
    }
  };
  search(data, "", "", "", 0);
  for (const group of groups.values()) group.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  return { groups: [...groups.values()], omitted: Math.max(count - maxPreviews, 0) };
}

const image = /^data:image\/(png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/]+={0,2}$/;

/** The first and the last field of a BR Code. Whether a text with them is one is not known; see the field brCode. */
const code = /^000201.*6304[0-9A-Fa-f]{4}$/s;

function kindOf(value: unknown, type: string | undefined): Kind | null {
  if (typeof value === "string") return image.test(value) ? "image" : code.test(value) ? "code" : null;
  const kind = kinds[type ?? ""] ?? null;
  return (kind === "timeline" ? Array.isArray(value) : isRecord(value)) ? kind : null;
}

function withFieldNames(value: unknown, name: string, selected: SelectedFields): unknown {
  if (Array.isArray(value)) return value.map((element) => withFieldNames(element, name, selected));
  if (!isRecord(value)) return value;
  const named = new Map<string, unknown>();
  for (const [key, member] of Object.entries(value)) {
    const field = selected.get(`${name}.${key}`);
    if (field && !named.has(field.name)) named.set(field.name, withFieldNames(member, `${name}.${key}`, selected));
  }
  return Object.fromEntries(named);
}
