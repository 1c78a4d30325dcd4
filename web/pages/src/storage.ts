import type { Storage } from "@graphiql/toolkit";
import type { Items } from "./base/stored.ts";

/**
 * localStorage for GraphiQL's tabs, history and layout, without request headers: GraphiQL's history stores those of
 * every run, and they may contain a token.
 */
export function storageWithoutHeaders(storage: Items): Storage {
  return {
    getItem: (key) => storage.getItem(key),
    setItem: (key, value) => storage.setItem(key, withoutHeaders(value)),
    removeItem: (key) => storage.removeItem(key),
    clear: () => {
      for (const key of Object.keys(storage)) if (key.startsWith("graphiql:")) storage.removeItem(key);
    },
    get length() {
      return Object.keys(storage).filter((key) => key.startsWith("graphiql:")).length;
    },
  };
}

/**
 * The content of the editors when the user left the page, null for a new user. GraphiQL restores its tabs itself, but
 * not the variables of a tab that was never edited.
 */
export function storedEditors(storage: Items): { initialQuery: string; initialVariables: string } | null {
  try {
    const { tabs, activeTabIndex } = JSON.parse(storage.getItem("graphiql:tabState") ?? "") as {
      tabs: { query: string | null; variables: string | null }[];
      activeTabIndex: number;
    };
    const tab = tabs[activeTabIndex];
    return tab === undefined ? null : { initialQuery: tab.query ?? "", initialVariables: tab.variables ?? "" };
  } catch {
    return null; // nothing is stored, or another version of GraphiQL stored it
  }
}

/** Removes every member named headers from a JSON text; other texts are returned unchanged. */
export function withoutHeaders(value: string): string {
  if (!value.includes('"headers"')) return value;
  try {
    return JSON.stringify(JSON.parse(value, (key, member: unknown) => (key === "headers" ? null : member)));
  } catch {
    return value; // not JSON of GraphiQL: the text of an editor
  }
}
