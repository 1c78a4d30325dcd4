import { useGraphiQL, useGraphiQLActions, useMonaco } from "@graphiql/react";
import type { editor } from "monaco-editor";
import { useEffect } from "react";

/** The editors' themes. The colours of text have a contrast of at least 4.5 on the backgrounds of the page. */
export const editorTheme = { light: "pixgraph-light", dark: "pixgraph-dark" };

const themes: Record<"light" | "dark", editor.IStandaloneThemeData> = {
  light: {
    base: "vs",
    inherit: true,
    colors: { ...backgrounds("#ffffff"), "editorLineNumber.foreground": "#475a7a" },
    rules: [
      { token: "number", foreground: "066343" },
      { token: "argument.identifier.gql", foreground: "5550b8" },
    ],
  },
  dark: {
    base: "vs-dark",
    inherit: true,
    colors: { ...backgrounds("#212a3b"), "editorLineNumber.foreground": "#a9b4c8" },
    rules: [
      { token: "comment", foreground: "9cc98c" },
      { token: "argument.identifier.gql", foreground: "aaa6ff" },
    ],
  },
};

/** The editor shows the background of the page; its widgets, which are above text, have the given one. */
function backgrounds(widget: string): Record<string, string> {
  const names = ["editorHoverWidget", "editorSuggestWidget", "editorWidget", "menu", "quickInput"];
  return { "editor.background": "#ffffff00", ...Object.fromEntries(names.map((name) => [`${name}.background`, widget])) };
}

/** Makes the editors follow the system's colour scheme. The styles do that for the rest of the page. */
export function FollowSystemTheme() {
  const { setTheme } = useGraphiQLActions();
  const theme = useGraphiQL((state) => state.theme);
  const monaco = useMonaco((state) => state.monaco);
  useEffect(() => {
    monaco?.editor.defineTheme(editorTheme.light, themes.light);
    monaco?.editor.defineTheme(editorTheme.dark, themes.dark);
    const system = matchMedia("(prefers-color-scheme: dark)");
    const follow = () => setTheme(theme);
    follow();
    system.addEventListener("change", follow);
    return () => system.removeEventListener("change", follow);
  }, [monaco, setTheme, theme]);
  return null;
}
