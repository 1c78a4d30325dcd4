import { useGraphiQL } from "@graphiql/react";
import { useEffect } from "react";

/**
 * Says when the editors are there. Monaco is loaded after the page is drawn, and GraphiQL loses what it is told before:
 * the button to run an operation, and a ready-made operation that is opened.
 */
export function WaitForEditors({ setReady }: { setReady: (isReady: boolean) => void }) {
  const isReady = useGraphiQL(({ queryEditor, variableEditor, responseEditor }) => {
    return queryEditor !== undefined && variableEditor !== undefined && responseEditor !== undefined;
  });
  useEffect(() => setReady(isReady), [isReady, setReady]);
  return null;
}
