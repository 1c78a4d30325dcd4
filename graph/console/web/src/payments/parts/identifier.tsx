import { CopyButton } from "./copy.tsx";

/** An id, shortened in its middle, with a button that copies the whole. */
export function Identifier({ id, what, whole = false }: { id: string; what: string; whole?: boolean }) {
  return (
    <span className="identifier">
      <code title={id}>{whole ? id : shortened(id)}</code>
      <CopyButton text={id} what={what} />
    </span>
  );
}

/** The first and the last characters of a long id. */
export function shortened(id: string): string {
  return id.length <= 16 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`;
}
