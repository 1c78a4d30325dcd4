/** The configuration that the server writes into the page. It has no token and no data of a user. */
export interface Config {
  /** Whether responses have extensions.trace on request. */
  trace: boolean;
  /** Whether schema.graphql is served next to the page. */
  schema: boolean;
  /** Whether the gateway can request a page of a list by its number. */
  pageNumber: boolean;
  /** Whether the gateway can request a page of a given size. */
  pageSize: boolean;
  /** Whether the gateway finds notification ids in the metadata of a transaction. */
  links: boolean;
  /** The upstream calls that an operation may cause in the worst case. */
  maxCost: number;
  /** The unit of fees, which the API does not document. */
  fees: FeeUnit;
  /** Absent if signing in is not possible: then a token can be pasted. */
  signIn?: SignIn;
  operations: Operation[];
}

export type FeeUnit = "cents" | "reais" | "unknown";

export interface SignIn {
  issuer: string;
  clientId: string;
  scopes: string[];
  /** The path of the metadata of the gateway, for which tokens are requested; absent if they are not for a resource. */
  metadata?: string;
}

/** A ready-made operation. */
export interface Operation {
  name: string;
  title: string;
  description: string;
  /** Paragraphs. */
  explanation: string[];
  text: string;
  /** The values of variables; null without such variables. */
  variables: Record<string, unknown> | null;
  /** The variables that are the id of a record, each with that record; null without such variables. */
  ids: Record<string, RecordName> | null;
}

/** A record whose id a ready-made operation needs. */
export type RecordName = "transaction" | "openTransaction" | "notification";

export function readConfig(): Config {
  const text = document.getElementById("console-config")?.textContent;
  return JSON.parse(text ?? "") as Config;
}

/** The URL of a path relative to the page, which may be served under any path. */
export function pageURL(path: string): string {
  return new URL(path, location.origin + location.pathname).href;
}
