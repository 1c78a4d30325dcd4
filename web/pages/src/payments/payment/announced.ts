import { isRecord } from "../../base/exact.ts";
import type { Webhook } from "./documents.ts";

/**
 * The status that a webhook announced, by the body that was sent: its member `status`, of an object, of JSON in a text, or of a
 * form. The API documents no form of the body, so there may be none.
 */
export function announcedBy({ body }: Pick<Webhook, "body">): string | null {
  const content = typeof body === "string" ? parsed(body) : body;
  const status = isRecord(content) ? content["status"] : undefined;
  return typeof status === "string" && /^[\w-]{1,60}$/.test(status) ? status : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return Object.fromEntries(new URLSearchParams(text));
  }
}

/** The codes of errors of connections that webhook services report, in the words of `connections`. */
const codes = /\b(ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ESOCKETTIMEDOUT|ECONNABORTED|EHOSTUNREACH|ENETUNREACH|EPROTO|\w*CERT\w*|\w*SIGNATURE\w*)\b/;

const kinds: Readonly<Record<string, Connection>> = {
  ECONNREFUSED: "refused", ECONNRESET: "reset", EPIPE: "reset", ENOTFOUND: "name", EAI_AGAIN: "name", ETIMEDOUT: "timeout",
  ESOCKETTIMEDOUT: "timeout", ECONNABORTED: "timeout", EHOSTUNREACH: "unreachable", ENETUNREACH: "unreachable",
};

export type Connection = "refused" | "reset" | "name" | "timeout" | "unreachable" | "certificate";

/** What kind of failure of a connection an error of a webhook is; null for another text. */
export function connectionOf(error: string): Connection | null {
  const [code] = codes.exec(error) ?? [];
  return code === undefined ? null : kinds[code] ?? "certificate";
}
