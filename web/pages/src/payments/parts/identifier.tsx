import { CopyButton } from "./copy.tsx";

/** An id, shortened in its middle, with a button that copies the whole. */
export function Identifier({ id, what, whole = false }: { id: string; what: string; whole?: boolean }) {
  return (
    <span className="identifier">
      <code title={id.slice(0, mostOfTitle)}><bdi>{whole && id.length <= most ? id : shortened(id)}</bdi></code>
      <CopyButton text={id} what={what} />
    </span>
  );
}

/** The characters of an id that are shown whole. */
const most = 100;

/** Those of its title, which is printed in place of a shortened one. */
const mostOfTitle = 1000;

/** The first and the last characters of a long id. */
export function shortened(id: string): string {
  return id.length <= 16 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`;
}
