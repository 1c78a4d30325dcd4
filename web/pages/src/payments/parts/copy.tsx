import { useEffect, useState } from "react";
import { parts } from "../words/parts.ts";
import { useWords } from "../words/words.tsx";

/** A button that copies a text, and says whether that worked. */
export function CopyButton({ text, what, children }: { text: string; what: string; children?: string }) {
  const words = useWords(parts);
  const [said, say] = useState("");
  useEffect(() => say(""), [text]);
  const copy = () => {
    // Without a secure context (https or loopback) a browser has no clipboard, so that this throws.
    (async () => navigator.clipboard.writeText(text))().then(() => say(words.copied), () => say(words.notCopied));
  };
  return (
    <>
      <button
        type="button" className={children === undefined ? "icon-button" : "button"} onClick={copy} title={said || undefined}
        aria-label={children === undefined ? words.copy(what) : undefined}
      >
        {said === "" ? children ?? <CopyIcon /> : <span aria-hidden="true">✓ {children !== undefined && said}</span>}
      </button>
      <span role="status" className="hidden">{said}</span>
    </>
  );
}

function CopyIcon() {
  return (
    <svg viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2" />
    </svg>
  );
}
