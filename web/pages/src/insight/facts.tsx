/** Texts with a label each. */
export function Facts({ rows }: { rows: [label: string, text: string][] }) {
  if (rows.length === 0) return null;
  return (
    <dl className="insight-facts">
      {rows.map(([label, text]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
