import { isSubscription } from "./name.ts";

/** An operation of the editors. */
export interface Content {
  query: string;
  operationName: string | null;
  /** The content of the variables editor. */
  variables: string;
  /** The content of the headers editor. */
  headers: string;
}

// Headers that are left out because they can have a secret, by name and value. The shell inserts the token.
const secretName = /^(authorization|proxy-authorization|cookie)$/i;
const secretValue = /bearer\s|eyJ[\w-]+\./i;

/**
 * The curl command of an operation, for a POSIX shell. It has no token: the shell inserts $TOKEN. The events of a
 * subscription are shown as they arrive. Throws an Error for the user if the variables or headers are not JSON.
 */
export function curlOf(endpoint: string, content: Content): string {
  const { query, operationName, headers } = content;
  const own = Object.entries(objectOf(headers, "headers")).filter(([name, value]) => !secretName.test(name) && !secretValue.test(String(value)));
  const streams = isSubscription(query, operationName);
  return [
    `curl -sS${streams ? "N" : ""} ${quoted(endpoint)}`,
    `-H "Authorization: Bearer $TOKEN"`,
    ...[["Content-Type", "application/json"], ...(streams ? [["Accept", "text/event-stream"]] : []), ...own].map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(bodyOf(content))}`,
  ].join(" \\\n  ");
}

/** The body of a request. Throws an Error for the user if the variables are not JSON. */
export function bodyOf({ query, operationName, variables }: Content): string {
  const parts = [`"query":${JSON.stringify(query)}`];
  if (operationName !== null) parts.push(`"operationName":${JSON.stringify(operationName)}`);
  // The text and not the parsed value: numbers keep their digits.
  if (Object.keys(objectOf(variables, "variables")).length > 0) parts.push(`"variables":${variables.trim()}`);
  return `{${parts.join(",")}}`;
}

/** The object that the text of an editor has. Throws an Error for the user if it has none. */
export function objectOf(text: string, what: string): Record<string, unknown> {
  if (text.trim() === "") return {};
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // reported below
  }
  throw new Error(`The ${what} are not a JSON object.`);
}

/** A text as one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
