import { Facts } from "../base/facts.tsx";
import { factsOf, type BRCode } from "./brcode.ts";
import { Label } from "./label.tsx";
import type { Meaning } from "./words.ts";

/** What a Pix code says, as the gateway has read it. */
export function Decoded({ code, meaning }: { code: BRCode; meaning: Meaning }) {
  const { rows, problems } = factsOf(code, meaning);
  return (
    <>
      {problems.length > 0 && (
        <>
          <p><Label tone="bad">{problems.length === 1 ? "1 problem" : `${problems.length} problems`}</Label></p>
          <ul>{problems.map((problem, index) => <li key={index}>{problem}</li>)}</ul>
        </>
      )}
      <Facts className="insight-facts" rows={rows.map(([label, text]) => [label, <>{text}</>])} />
    </>
  );
}
