import { useGraphiQL } from "@graphiql/react";
import { useCallback, useSyncExternalStore } from "react";
import { positionAt, type Edit } from "./edit.ts";

/** The text of the query editor, and what changes it. */
export interface Draft {
  text: string;
  apply: (edit: Edit | null) => void;
}

/** The editor's text. Each edit can be undone in the editor. */
export function useDraft(): Draft {
  const editor = useGraphiQL(({ queryEditor }) => queryEditor);
  const watch = useCallback((changed: () => void) => {
    const listener = editor?.onDidChangeModelContent(changed);
    return () => listener?.dispose();
  }, [editor]);
  const text = useSyncExternalStore(watch, () => editor?.getValue({ preserveBOM: false, lineEnding: "\n" }) ?? "");
  const apply = (edit: Edit | null) => {
    if (edit === null || !editor) return;
    // Not the editor's offsets, which count two characters for the end of a line on Windows.
    const [start, end] = [positionAt(text, edit.start), positionAt(text, edit.end)];
    const range = { startLineNumber: start.line, startColumn: start.column, endLineNumber: end.line, endColumn: end.column };
    editor.pushUndoStop();
    editor.executeEdits("explorer", [{ range, text: edit.text }]);
    editor.pushUndoStop();
  };
  return { text, apply };
}
