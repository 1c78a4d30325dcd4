import type { ReactNode } from "react";

/** What is the same for each list, and need not be read each time. */
export function Help({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className="help">
      <summary>{title}</summary>
      <p>{children}</p>
    </details>
  );
}
