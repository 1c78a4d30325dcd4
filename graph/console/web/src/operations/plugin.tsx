import { useGraphiQL, useGraphiQLActions, type GraphiQLPlugin } from "@graphiql/react";
import { useEffect, useRef } from "react";
import type { Operation } from "../config.ts";

/** The variables of an operation as the editor shows them. */
export function variablesText(operation: Operation): string {
  return JSON.stringify(operation.variables ?? {}, null, 2);
}

/** A panel that lists the ready-made operations and opens them in tabs. */
export function operationsPlugin(operations: Operation[]): GraphiQLPlugin {
  return { title: "Operations", icon: OperationsIcon, content: () => <Operations operations={operations} /> };
}

function Operations({ operations }: { operations: Operation[] }) {
  const open = useOpen();
  return (
    <section aria-label="Operations" className="console-panel">
      <div className="graphiql-doc-explorer-title">Operations</div>
      <ul className="console-operations">
        {operations.map((operation) => (
          <li key={operation.name}>
            <button type="button" className="console-operation" onClick={() => open(operation)}>
              <strong>{operation.title}</strong>
              <span>{operation.description}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Opens an operation: in its own tab if that is unchanged, otherwise in a new one. */
function useOpen(): (operation: Operation) => void {
  const { addTab, changeTab } = useGraphiQLActions();
  const { tabs, activeTabIndex, queryEditor, variableEditor } = useGraphiQL(({ tabs, activeTabIndex, queryEditor, variableEditor }) => ({
    tabs, activeTabIndex, queryEditor, variableEditor,
  }));
  const opening = useRef<Operation | null>(null);
  // A new tab takes the content of the editors only after it has become active.
  useEffect(() => {
    const operation = opening.current;
    if (operation === null) return;
    opening.current = null;
    queryEditor?.setValue(operation.text);
    variableEditor?.setValue(variablesText(operation));
    queryEditor?.focus();
  }, [activeTabIndex, tabs.length, queryEditor, variableEditor]);
  return (operation) => {
    const open = tabs.findIndex((tab) => tab.query === operation.text);
    if (open >= 0) {
      changeTab(open);
      return;
    }
    opening.current = operation;
    addTab();
  };
}

function OperationsIcon() {
  return (
    <svg viewBox="0 0 14 14" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
      <path d="M1 3h2M5 3h8M1 7h2M5 7h8M1 11h2M5 11h8" />
    </svg>
  );
}
