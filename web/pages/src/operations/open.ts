import { useGraphiQL, useGraphiQLActions } from "@graphiql/react";
import { useEffect, useRef } from "react";

/** An operation as the editors show it. */
export interface Content {
  query: string;
  variables: string;
}

/** Opens an operation: in the tab that has the same query and variables, otherwise in a new one. */
export function useOpen(): (content: Content) => void {
  const { addTab, changeTab, setVisiblePlugin } = useGraphiQLActions();
  const { tabs, activeTabIndex, queryEditor, variableEditor } = useGraphiQL(({ tabs, activeTabIndex, queryEditor, variableEditor }) => ({
    tabs, activeTabIndex, queryEditor, variableEditor,
  }));
  // A phone shows the panel or the query.
  const leavePanel = () => matchMedia("(max-width: 640px)").matches && setVisiblePlugin(null);
  const opening = useRef<Content | null>(null);
  // A new tab takes the content of the editors only after it has become active.
  useEffect(() => {
    const content = opening.current;
    if (content === null) return;
    opening.current = null;
    // GraphiQL stores both in the tab after a pause, in this order, and names the tab by the query. A click on the name restores
    // what is stored, so the variables must be by then.
    variableEditor?.setValue(content.variables);
    queryEditor?.setValue(content.query);
    queryEditor?.focus();
    leavePanel();
  }, [activeTabIndex, tabs.length, queryEditor, variableEditor]);
  return (content) => {
    const open = tabs.findIndex((tab) => tab.query === content.query && tab.variables === content.variables);
    if (open >= 0) {
      changeTab(open);
      leavePanel();
      return;
    }
    opening.current = content;
    addTab();
  };
}
