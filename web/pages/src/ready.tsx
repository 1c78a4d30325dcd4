import { useGraphiQL } from "@graphiql/react";
import { useEffect } from "react";

/**
 * Says when the editors are loaded, which is after the page is drawn. Until then GraphiQL ignores a click on the button
 * that runs an operation, and a ready-made operation that is opened.
 */
export function WaitForEditors({ setReady }: { setReady: (isReady: boolean) => void }) {
  const isReady = useGraphiQL(({ queryEditor, variableEditor, responseEditor }) => {
    return queryEditor !== undefined && variableEditor !== undefined && responseEditor !== undefined;
  });
  useEffect(() => setReady(isReady), [isReady, setReady]);
  return null;
}
