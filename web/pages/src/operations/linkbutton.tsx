import { ToolbarButton, useGraphiQL } from "@graphiql/react";
import { useCopy } from "../base/copy.ts";
import { linkOf } from "./link.ts";

/** Copies a link to the operation of the editors, without a token. */
export function LinkButton() {
  const { queryEditor, variableEditor } = useGraphiQL(({ queryEditor, variableEditor }) => ({ queryEditor, variableEditor }));
  const { said, copy } = useCopy(queryEditor);
  const link = () => linkOf(location.origin + location.pathname, { query: queryEditor?.getValue() ?? "", variables: variableEditor?.getValue() ?? "" });
  return (
    <ToolbarButton label={said || "Copy a link to this operation and its variables"} onClick={() => copy(link(), "the link")}>
      <svg className="graphiql-toolbar-icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden="true">
        <path d="M10 14a5 5 0 0 0 7 0l3-3a5 5 0 0 0-7-7l-1 1M14 10a5 5 0 0 0-7 0l-3 3a5 5 0 0 0 7 7l1-1" />
      </svg>
    </ToolbarButton>
  );
}
