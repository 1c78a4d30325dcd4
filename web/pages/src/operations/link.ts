/** Operations in links to the page. */

export interface Linked {
  query: string;
  /** As the editor has them: JSON, or "". */
  variables: string;
}

/** The operation of a URL: in its fragment, as links of the page have it, or in its query, as those of other programs do. It is not run. */
export function linkedIn({ search, hash }: Pick<Location, "search" | "hash">): Linked | null {
  for (const text of [hash, search]) {
    const given = new URLSearchParams(text.slice(1));
    const query = given.get("query");
    if (query) return { query, variables: given.get("variables") ?? "" };
  }
  return null;
}

/** The URL of the page with an operation. It is in the fragment, which is not sent to servers: variables may be personal data. */
export function linkOf(page: string, { query, variables }: Linked): string {
  const given = new URLSearchParams(variables.trim() === "" ? { query } : { query, variables });
  return `${page}#${given.toString()}`;
}
