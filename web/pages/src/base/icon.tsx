/** The icon of a panel: a line along a path. */
export function iconOf(path: string): () => React.JSX.Element {
  return () => (
    <svg viewBox="0 0 14 14" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
