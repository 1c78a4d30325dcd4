import type { FocusEvent, KeyboardEvent } from "react";
import type { Cell, Table } from "./tables.ts";

/**
 * A table of the response. One cell is in the tab order; the arrow keys move to the others, and Enter or the shortcut for
 * copying copies the focused one.
 */
export function Grid({ table, select, copy }: { table: Table; select: (cell: Cell) => void; copy: (cell: Cell) => void }) {
  const cellAt = (element: Element): Cell | null => {
    const at = positionOf(element);
    return at === null ? null : (table.rows[at.row]?.cells[at.column] ?? null);
  };
  const focus = (event: FocusEvent<HTMLTableElement>) => {
    const cell = cellAt(event.target);
    if (cell === null) return;
    event.currentTarget.querySelector('td[tabindex="0"]')?.setAttribute("tabindex", "-1");
    event.target.setAttribute("tabindex", "0");
    select(cell);
  };
  const press = (event: KeyboardEvent<HTMLTableElement>) => {
    const target = event.target as Element;
    const cell = cellAt(target);
    if (cell === null) return;
    const copies = event.key === "Enter" || (event.key === "c" && (event.ctrlKey || event.metaKey) && getSelection()?.isCollapsed !== false);
    const next = neighbour(target, event.key);
    if (!copies && next === null) return;
    event.preventDefault();
    if (copies) copy(cell);
    else next?.focus();
  };
  return (
    <figure className="answer-table">
      <figcaption>
        <code>{table.path}</code>
      </figcaption>
      <div className="console-scroll">
        <table role="grid" aria-label={table.path} onFocus={focus} onKeyDown={press}>
          {table.columns.length > 0 && (
            <thead>
              <tr>{table.columns.map((name) => <th key={name} scope="col">{name}</th>)}</tr>
            </thead>
          )}
          <tbody>
            {table.rows.map((row, y) => (
              <tr key={y}>
                {row.name !== null && <th scope="row">{row.name}</th>}
                {row.cells.map((cell, x) => (
                  <td key={x} tabIndex={y === 0 && x === 0 ? 0 : -1}>{cell && <Value cell={cell} />}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {table.omitted > 0 && <p>{table.omitted} more are not shown here. The JSON has all of them.</p>}
    </figure>
  );
}

function Value({ cell: { value, short, local } }: { cell: Cell }) {
  if (short !== null) {
    return (
      <details>
        <summary>{short}</summary>
        <code className="answer-long">{value}</code>
      </details>
    );
  }
  return (
    <>
      {value}
      {local !== null && <span className="answer-local">{local}</span>}
    </>
  );
}

/** Where a cell is in the body of its table; null for another element. */
function positionOf(element: Element): { row: number; column: number } | null {
  const row = element.parentElement;
  if (element.tagName !== "TD" || row === null) return null;
  return { row: indexIn(row.parentElement?.children, row), column: indexIn(row.querySelectorAll("td"), element) };
}

function neighbour(cell: Element, key: string): HTMLElement | null {
  const at = positionOf(cell);
  const rows = cell.closest("tbody")?.children;
  if (at === null || rows === undefined) return null;
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key];
  if (step === undefined) return null;
  return rows[at.row + step[0]!]?.querySelectorAll("td")[at.column + step[1]!] ?? null;
}

function indexIn(elements: ArrayLike<Element> | undefined, element: Element): number {
  return Array.from(elements ?? []).indexOf(element);
}
