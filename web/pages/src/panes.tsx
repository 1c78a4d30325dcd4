import { useGraphiQL } from "@graphiql/react";
import { useEffect, useRef } from "react";

/** What a narrow screen shows: one of the three parts of GraphiQL. A wide screen shows all of them. */
export type Pane = "panel" | "query" | "answer";

/**
 * The switch between the panes of a narrow screen. It follows the user: a run shows the answer, an opened panel is shown,
 * and another tab shows its query.
 */
export function PaneSwitch({ pane, setPane }: { pane: Pane; setPane: (pane: Pane) => void }) {
  const { isFetching, panel, tab } = useGraphiQL(({ isFetching, visiblePlugin, tabs, activeTabIndex }) => ({
    isFetching,
    panel: visiblePlugin?.title ?? null,
    tab: tabs[activeTabIndex]?.id ?? "",
  }));
  useChange(tab, () => setPane("query"));
  useChange(panel, () => setPane(panel === null ? "query" : "panel"));
  useChange(isFetching, () => isFetching && setPane("answer"));
  const panes: [Pane, string][] = [["query", "Query"], ["answer", "Answer"]];
  if (panel !== null) panes.unshift(["panel", panel]);
  return (
    <nav className="console-panes" aria-label="Panes">
      {panes.map(([name, label]) => (
        <button key={name} type="button" aria-pressed={pane === name} onClick={() => setPane(name)}>
          {label}
        </button>
      ))}
    </nav>
  );
}

/** Calls act when the value differs from that of the previous rendering. */
function useChange<T>(value: T, act: () => void): void {
  const previous = useRef(value);
  useEffect(() => {
    if (previous.current === value) return;
    previous.current = value;
    act();
  });
}
