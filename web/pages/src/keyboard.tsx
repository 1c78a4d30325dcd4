import { useGraphiQL } from "@graphiql/react";
import { useEffect } from "react";

/** Makes Tab leave the editors, so that the whole page can be used with the keyboard. Suggestions still accept Tab. */
export function LeaveEditorsWithTab() {
  const editor = useGraphiQL(({ queryEditor }) => queryEditor);
  useEffect(() => {
    // One switch for all editors. The editor's option tabFocusMode has no effect in this version of Monaco.
    const toggle = () => editor?.trigger("page", "editor.action.toggleTabFocusMode", null);
    toggle();
    return toggle;
  }, [editor]);
  return null;
}
