import { useGraphiQL } from "@graphiql/react";
import { memo, useMemo } from "react";
import type { Answered } from "../operations/answered.ts";
import { selectedFields } from "../operations/fields.ts";
import { useCopy } from "../base/copy.ts";
import { parseExact } from "../base/exact.ts";
import { Bars } from "../insight/bars.tsx";
import type { BRCode } from "../insight/brcode.ts";
import { Decoded } from "../insight/decoded.tsx";
import { DeliveryFacts, type Delivery } from "../insight/delivery.tsx";
import { Moments } from "../insight/moments.tsx";
import type { Summary } from "../insight/summary.ts";
import { meaningIn, type Meaning } from "../insight/words.ts";
import { findPreviews, type Preview } from "./find.ts";

/** Draws images, Pix codes and derived fields of an answer below it. Nothing is loaded: images are data URIs. */
export const Previews = memo(function Previews({ answered }: { answered: Answered | null }) {
  const schema = useGraphiQL((state) => state.schema);
  const { groups, omitted } = useMemo(
    () => findPreviews(answered && dataOf(answered), answered ? selectedFields(schema, answered.asked) : new Map()),
    [answered, schema],
  );
  const meaning = useMemo(() => meaningIn(schema), [schema]);
  if (groups.length === 0) return null;
  return (
    <section className="previews" aria-label="Previews of the answer" tabIndex={0}>
      {groups.map((group) => (
        <div key={group[0]?.path} className="preview-group">
          {group.map((preview) => (
            <figure key={preview.path} className={`preview preview-${preview.kind}`}>
              <Drawn preview={preview} meaning={meaning} />
            </figure>
          ))}
        </div>
      ))}
      {omitted > 0 && <p>{omitted} more are not drawn. The JSON has all of them.</p>}
    </section>
  );
});

function dataOf({ text }: Answered): unknown {
  return (parseExact(text) as { data?: unknown }).data;
}

function Drawn({ preview: { kind, path, value }, meaning }: { preview: Preview; meaning: Meaning }) {
  const caption = (
    <figcaption>
      <code>{path}</code>
    </figcaption>
  );
  switch (kind) {
    case "image":
      return <><img src={value as string} alt={`The image at ${path}`} />{caption}</>;
    case "code":
      return <PixCode path={path} text={value as string} />;
    case "brCode":
      return <>{caption}<Decoded code={value as BRCode} meaning={meaning} /></>;
    case "delivery":
      return <>{caption}<DeliveryFacts delivery={value as Delivery} /></>;
    case "timeline":
      return <>{caption}<Moments timeline={value as unknown[]} meaning={meaning} /></>;
    case "summary":
      return <>{caption}<Bars summary={value as Summary} path={path} meaning={meaning} /></>;
  }
}

function PixCode({ path, text }: { path: string; text: string }) {
  const { said, copy } = useCopy(text);
  return (
    <>
      <code className="preview-text" tabIndex={0}>{text}</code>
      <figcaption>
        <code>{path}</code>
        <button type="button" className="console-button preview-copy" onClick={() => copy(text, "the Pix code")}>
          Copy Pix code
        </button>
        <span role="status">{said}</span>
      </figcaption>
    </>
  );
}
