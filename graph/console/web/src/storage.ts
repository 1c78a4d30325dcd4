import type { Storage } from "@graphiql/toolkit";

/**
 * localStorage for GraphiQL's tabs, history and layout, without request headers: GraphiQL's history stores those of
 * every run, and somebody may have written a token there.
 */
export function storageWithoutHeaders(storage: globalThis.Storage): Storage {
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
 * What the editors showed when the person left, null for somebody new. GraphiQL brings its tabs back by itself, but not
 * the variables of a tab that was never edited.
 */
export function storedEditors(storage: globalThis.Storage): { initialQuery: string; initialVariables: string } | null {
  try {
    const { tabs, activeTabIndex } = JSON.parse(storage.getItem("graphiql:tabState") ?? "") as {
      tabs: { query: string | null; variables: string | null }[];
      activeTabIndex: number;
    };
    const tab = tabs[activeTabIndex];
    return tab === undefined ? null : { initialQuery: tab.query ?? "", initialVariables: tab.variables ?? "" };
  } catch {
    return null; // nothing is stored, or not by this GraphiQL
  }
}

/** Takes every member named headers out of a JSON text; other texts stay as they are. */
export function withoutHeaders(value: string): string {
  if (!value.includes('"headers"')) return value;
  try {
    return JSON.stringify(JSON.parse(value, (key, member: unknown) => (key === "headers" ? null : member)));
  } catch {
    return value; // not GraphiQL's JSON: the text of an editor
  }
}
