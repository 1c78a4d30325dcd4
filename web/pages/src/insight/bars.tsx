import { digitsOf } from "../base/exact.ts";
import { Facts } from "../base/facts.tsx";
import { Label } from "./label.tsx";
import { chartOf, type Figure, type Summary } from "./summary.ts";
import type { Meaning } from "./words.ts";

/** A summary: whether it is that of the whole list, its sums, and its groups as a table with bars. */
export function Bars({ summary, path, meaning }: { summary: Summary; path: string; meaning: Meaning }) {
  const { keys, figures, rows, whole, omitted } = chartOf(summary);
  return (
    <>
      <Completeness summary={summary} meaning={meaning} />
      <Facts className="insight-facts" rows={whole} />
      {rows.length > 0 && (
        <div className="console-scroll" tabIndex={0} role="region" aria-label={`Chart of ${path}`}>
          <table className="bars">
            <thead>
              <tr>
                {(keys.length > 0 ? keys : ["Group"]).map((name) => <th key={name} scope="col">{name}</th>)}
                {figures.map((name) => <th key={name} scope="col">{name}</th>)}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, y) => (
                <tr key={y}>
                  {(keys.length > 0 ? row.keys : [String(y + 1)]).map((key, x) => <th key={x} scope="row">{key}</th>)}
                  {row.figures.map((figure, x) => <td key={x}><Bar figure={figure} /></td>)}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {omitted > 0 && <p>{omitted} more groups are not drawn. The JSON has all of them.</p>}
    </>
  );
}

function Bar({ figure: { text, percent, negative } }: { figure: Figure }) {
  return (
    <>
      {text}
      <svg className={negative ? "bars-negative" : undefined} aria-hidden="true">
        <rect width={`${percent}%`} height="100%" />
      </svg>
    </>
  );
}

/** Whether the sums are those of the whole list, and if not, why. */
function Completeness({ summary: { complete, reason, unreadable, pagesRead }, meaning }: { summary: Summary; meaning: Meaning }) {
  const pages = digitsOf(pagesRead);
  const skipped = digitsOf(unreadable) ?? "0";
  return (
    <p>
      {complete === undefined && "Whether these are the sums of the whole list is not known: the operation does not select complete."}
      {complete === true && <><Label tone="good">COMPLETE</Label> These are the sums of the whole list.</>}
      {complete === false && (
        <>
          <Label tone="bad">NOT COMPLETE</Label> {reason ?? "The operation does not select reason."} {meaning("IncompleteReason", reason)}
        </>
      )}
      {skipped !== "0" && ` Not summed, because they break the API's contract: ${skipped}.`}
      {pages !== null && ` Pages read: ${pages}.`}
    </p>
  );
}
