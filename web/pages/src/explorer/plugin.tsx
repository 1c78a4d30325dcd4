import { useGraphiQL, type GraphiQLPlugin } from "@graphiql/react";
import { useMemo } from "react";
import { iconOf } from "../base/icon.tsx";
import { useDraft } from "./draft.ts";
import { operationOf } from "../operations/name.ts";
import { addOperation, addSelections, parseDocument } from "./edit.ts";
import { FieldRows } from "./field.tsx";

/** The explorer: the fields of the schema as a tree with checkboxes, which add fields to the current operation and remove them. */
export const explorerPlugin: GraphiQLPlugin = { title: "Explorer", icon: iconOf("M1 1h4v4H1zM1 9h4v4H1zM8 3h5M8 11h5M2 11l1 1 2-3"), content: Explorer };

function Explorer() {
  const { schema, operationName, tab } = useGraphiQL(({ schema, operationName, tabs, activeTabIndex }) => ({
    schema, operationName, tab: tabs[activeTabIndex]?.id ?? "",
  }));
  const draft = useDraft();
  const document = useMemo(() => parseDocument(draft.text), [draft.text]);
  const operation = document && operationOf(document, operationName ?? null);
  const root = operation ? schema?.getRootType(operation.operation) : schema?.getQueryType();
  const insert = (selections: string) =>
    draft.apply(operation === null ? addOperation(draft.text, selections) : addSelections(draft.text, operation, selections));
  return (
    <section aria-label="Explorer" className="console-panel">
      <h2 className="graphiql-doc-explorer-title">Explorer</h2>
      {!root && <p>The schema is not loaded.</p>}
      {document === null && <p>The query has a syntax error. Correct it to continue here.</p>}
      {root && document !== null && (
        <FieldRows key={tab} type={root} parents={operation === null ? [] : [operation]} insert={insert} draft={draft} />
      )}
    </section>
  );
}
