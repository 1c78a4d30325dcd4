import { crc16 } from "./crc.ts";

/** A value of a response that is shown as more than text: an image, or a Pix code to copy. */
export interface Preview {
  kind: "image" | "brcode";
  /** The path of the value in the response. */
  path: string;
  value: string;
}

/** The maximum number of previews for one response: a page of records can have a hundred. */
export const maxPreviews = 12;

/** The maximum depth: free-form JSON can have so many levels that a recursion overflows the stack. */
const maxLevels = 50;

const image = /^data:image\/(png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/]+={0,2}$/;

/** Finds the first previews of a response's data, in its order. */
export function findPreviews(data: unknown): Preview[] {
  const found: Preview[] = [];
  search(data, [], found);
  return found;
}

function search(value: unknown, path: (string | number)[], found: Preview[]): void {
  if (found.length >= maxPreviews || path.length > maxLevels) return;
  if (typeof value === "string") {
    const kind = kindOf(value);
    if (kind !== null) found.push({ kind, path: path.join("."), value });
  } else if (Array.isArray(value)) {
    value.forEach((element, index) => search(element, [...path, index], found));
  } else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) search(member, [...path, key], found);
  }
}

function kindOf(text: string): Preview["kind"] | null {
  if (image.test(text)) return "image";
  return isBRCode(text) ? "brcode" : null;
}

/** Whether a text is a complete BR Code: it begins with the format indicator and ends with its own checksum. */
export function isBRCode(text: string): boolean {
  const checksum = /^000201.*6304([0-9A-Fa-f]{4})$/s.exec(text)?.[1];
  return checksum !== undefined && crc16(text.slice(0, -4)) === parseInt(checksum, 16);
}
