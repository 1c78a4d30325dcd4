import { useEffect, useRef } from "react";
import type { Page } from "../pages.ts";
import { goTo } from "../route.ts";
import { list } from "../words/list.ts";
import { useLocale, useWords } from "../words/words.tsx";
import type { ListRoute } from "./query.ts";
import { countsAgree } from "./reading.ts";

interface Props {
  route: ListRoute;
  page: Page<unknown>;
  /** Whether the gateway can request other pages. */
  changeable: boolean;
  /** Above the rows: announces the page, and gets the focus when another one is shown. */
  top?: boolean;
}

/** Where a page is in its list, and the ways to its neighbours. */
export function Paging({ route, page, changeable, top = false }: Props) {
  const words = useWords(list);
  const locale = useLocale();
  const start = useFocus(page.currentPage);
  const text = (n: number) => n.toLocaleString(locale);
  const { totalCount, perPage } = page;
  const records = totalCount === undefined ? null : words.records[route.kind](totalCount, text(totalCount));
  const number = text(page.currentPage);
  const place =
    records === null ? `${words.page(number)}. ${words.uncounted}`
      : countsAgree(page) ? `${words.pageOf(number, text(Math.ceil((totalCount ?? 0) / perPage)))}, ${records}`
        : `${words.page(number)}. ${words.contradictory(records)}`;
  const step = (label: string, to: number, possible: boolean) => (
    // Not `disabled`, which would take the focus away.
    <button type="button" className="button" aria-disabled={!possible} onClick={() => possible && goTo({ ...route, page: to })}>{label}</button>
  );
  return (
    <nav className="paging" aria-label={top ? words.paging : words.pagingBelow}>
      <p ref={top ? start : undefined} role={top ? "status" : undefined} tabIndex={top ? -1 : undefined}>
        {place}
      </p>
      {changeable && (route.page > 1 || page.pageInfo.hasNextPage) && (
        <div className="buttons">
          {step(words.previous, route.page - 1, route.page > 1)}
          {step(words.next, route.page + 1, page.pageInfo.hasNextPage)}
        </div>
      )}
    </nav>
  );
}

/** Moves the focus from the buttons below the rows to their beginning, when another page is there. */
function useFocus(page: number) {
  const place = useRef<HTMLParagraphElement>(null);
  const shown = useRef(page);
  useEffect(() => {
    if (shown.current === page) return;
    shown.current = page;
    place.current?.focus({ preventScroll: true });
    place.current?.scrollIntoView({ block: "start" });
  }, [page]);
  return place;
}
