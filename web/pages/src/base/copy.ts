import { useEffect, useState } from "react";

/** Copies a text, and says how that went until the source of the text changes. */
export function useCopy(source: unknown): { said: string; copy: (text: string, what: string) => void } {
  const [said, say] = useState("");
  useEffect(() => say(""), [source]);
  const copy = (text: string, what: string) => {
    // Without a secure context (https or loopback) a browser has no clipboard, so that this throws.
    const written = (async () => navigator.clipboard.writeText(text))();
    written.then(
      () => say(`Copied ${what}.`),
      () => say("The browser does not allow copying. Select the text instead."),
    );
  };
  return { said, copy };
}
