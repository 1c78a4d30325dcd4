/** A part of an id: its first and last characters as the page shows them, such as f2dc7925…e9fc, or its first ones only. */
export interface Part {
  /** In lower case, without hyphens. */
  start: string;
  end: string;
}

const shown = /^([\da-z-]{4,})(?:…|\.{2,3})([\da-z-]{2,})$/i;
const shape = "########-####-####-####-############";

/** Fewer characters fit too many ids. */
const fewest = 8;

/** Reads a text as a part of an id; null if it is not one. */
export function partOf(text: string): Part | null {
  const [, start = "", end = ""] = shown.exec(text) ?? [];
  if (start.length + end.length >= fewest) return { start: compact(start), end: compact(end) };
  const first = text.replace(/(…|\.{2,3})$/, "");
  // Digits alone are more often a code or a document, and so are the 24 digits of a notification id, or more.
  const isStart = /^\d{8}$/.test(first) || (/[a-f]/i.test(first) && first.length >= fewest);
  const hasShape = /^[\da-f]{8,23}$/i.test(first) || shape.startsWith(first.replace(/[\da-f]/gi, "#"));
  return isStart && hasShape && first.length < shape.length ? { start: compact(first), end: "" } : null;
}

/** Whether an id has the part. */
export function hasPart(id: string, { start, end }: Part): boolean {
  const text = compact(id);
  return text.length >= start.length + end.length && text.startsWith(start) && text.endsWith(end);
}

function compact(id: string): string {
  return id.replaceAll("-", "").toLowerCase();
}
