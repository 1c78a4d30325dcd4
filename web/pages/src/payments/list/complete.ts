import { dayText } from "../parts/moment.tsx";
import { list } from "../words/list.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { createdSince, type ListRoute } from "./query.ts";

/** That sums are complete: of the whole list, or of the records that were read to select those of other days than of creation. */
export function useCompleteText(route: ListRoute): string {
  const words = useWords(list);
  const locale = useLocale();
  return route.dayOf === undefined ? words.complete : words.completeSince(dayText(createdSince(route), locale));
}
