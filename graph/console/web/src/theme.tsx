import { useGraphiQL, useGraphiQLActions } from "@graphiql/react";
import { useEffect } from "react";

/** Has the editors follow the system when it turns dark or light. The rest of the page does so by its styles. */
export function FollowSystemTheme() {
  const { setTheme } = useGraphiQLActions();
  const theme = useGraphiQL((state) => state.theme);
  useEffect(() => {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const follow = () => setTheme(theme);
    system.addEventListener("change", follow);
    return () => system.removeEventListener("change", follow);
  }, [setTheme, theme]);
  return null;
}
