import { useMemo } from "react";
import { useCopy } from "../copy.ts";
import { findPreviews, maxPreviews, type Preview } from "./find.ts";

/** Shows the images and Pix codes of a response below it. Nothing is loaded: images are data URIs. */
export function Previews({ response }: { response: string }) {
  const previews = useMemo(() => findPreviews(dataOf(response)), [response]);
  if (previews.length === 0) return null;
  return (
    <section className="previews" aria-label="Images and Pix codes of the response">
      {previews.map((preview) =>
        preview.kind === "image" ? <Image key={preview.path} preview={preview} /> : <BRCode key={preview.path} preview={preview} />,
      )}
      {previews.length === maxPreviews && <p>Only the first {maxPreviews} are shown.</p>}
    </section>
  );
}

function dataOf(response: string): unknown {
  try {
    return (JSON.parse(response) as { data?: unknown }).data;
  } catch {
    return null; // no response yet, or the text of an error
  }
}

function Image({ preview }: { preview: Preview }) {
  return (
    <figure className="preview preview-image">
      <img src={preview.value} alt={`The image at ${preview.path}`} />
      <figcaption>
        <code>{preview.path}</code>
      </figcaption>
    </figure>
  );
}

function BRCode({ preview }: { preview: Preview }) {
  const { said, copy } = useCopy(preview.value);
  return (
    <figure className="preview preview-brcode">
      <code className="preview-code" tabIndex={0}>{preview.value}</code>
      <figcaption>
        <code>{preview.path}</code>
        <button type="button" className="console-button preview-copy" onClick={() => copy(preview.value, "the Pix code")}>
          Copy Pix code
        </button>
        <span role="status">{said}</span>
      </figcaption>
    </figure>
  );
}
