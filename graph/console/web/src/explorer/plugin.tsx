import { useGraphiQL, type GraphiQLPlugin } from "@graphiql/react";
import { useCallback, useMemo, useSyncExternalStore } from "react";
import { addOperation, addSelections, operationOf, parseDocument, positionAt, type Edit } from "./edit.ts";
import { FieldRows } from "./field.tsx";

/** A panel to build a query by clicking: the fields of the schema, those of the current operation ticked. */
export const queryBuilderPlugin: GraphiQLPlugin = { title: "Query builder", icon: QueryBuilderIcon, content: QueryBuilder };

/** The text of the query editor, and what changes it. */
export interface Draft {
  text: string;
  apply: (edit: Edit | null) => void;
}

function QueryBuilder() {
  const { schema, operationName } = useGraphiQL(({ schema, operationName }) => ({ schema, operationName }));
  const draft = useDraft();
  const document = useMemo(() => parseDocument(draft.text), [draft.text]);
  const operation = document && operationOf(document, operationName ?? null);
  const root = operation ? schema?.getRootType(operation.operation) : schema?.getQueryType();
  const insert = (selections: string) =>
    draft.apply(operation === null ? addOperation(draft.text, selections) : addSelections(draft.text, operation, selections));
  return (
    <section aria-label="Query builder" className="console-panel">
      <h2 className="graphiql-doc-explorer-title">Query builder</h2>
      {!root && <p>The schema is not loaded.</p>}
      {document === null && <p>The query has a syntax error. Correct it to continue here.</p>}
      {root && document !== null && <FieldRows type={root} parents={operation === null ? [] : [operation]} insert={insert} draft={draft} />}
    </section>
  );
}

/** The editor's text. Each edit can be undone in the editor. */
function useDraft(): Draft {
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
    editor.executeEdits("query builder", [{ range, text: edit.text }]);
    editor.pushUndoStop();
  };
  return { text, apply };
}

function QueryBuilderIcon() {
  return (
    <svg viewBox="0 0 14 14" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
      <path d="M1 1h4v4H1zM1 9h4v4H1zM8 3h5M8 11h5M2 11l1 1 2-3" />
    </svg>
  );
}
