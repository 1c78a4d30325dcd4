import type { ReactNode } from "react";

export type Fact = [name: ReactNode, value: ReactNode];

/** Names with their values. One without a value is left out. */
export function Facts({ rows, ...props }: { rows: readonly Fact[]; className: string; "aria-live"?: "polite" }) {
  const shown = rows.filter(([, value]) => value !== null && value !== undefined && value !== false && value !== "");
  if (shown.length === 0) return null;
  return (
    <dl {...props}>
      {shown.map(([name, value], index) => (
        <div key={index}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
