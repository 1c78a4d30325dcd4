import { useState } from "react";

/** Copies a text, and says how that went. */
export function useCopy(): { said: string; copy: (text: string, what: string) => void } {
  const [said, say] = useState("");
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
