import type { Days } from "../route.ts";
import { parts } from "../words/parts.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { instantOfDate, isNoTime, zone } from "../zone.ts";

/** A time in Brasília as people write it; the title has it as the API sent it. */
export function Moment({ at, seconds = false }: { at: string | null | undefined; seconds?: boolean }) {
  const locale = useLocale();
  const { none } = useWords(parts);
  if (at === null || at === undefined || isNoTime(at)) return <>{none}</>;
  return <time dateTime={at} title={at}>{timeText(at, locale, seconds)}</time>;
}

/** The most characters that are shown of a text that is not a time. A time is shorter. */
const maxShown = 40;

/** The same as a text. A time without an offset is in an unknown zone, and stays as it is. */
export function timeText(at: string, locale: string, seconds = false): string {
  const instant = instantOfDate(at);
  if (instant === null) return at.length <= maxShown ? at : `${at.slice(0, maxShown)}…`;
  const month = locale === "pt-BR" ? "2-digit" : "short"; // 25/11/2026 is read in another way in English
  const format = new Intl.DateTimeFormat(locale, {
    timeZone: zone, day: "2-digit", month, year: "numeric", hour: "2-digit", minute: "2-digit", ...(seconds && { second: "2-digit" }),
  });
  return format.format(instant).replace(",", "");
}

/** A day such as 2026-11-23 as people write it. */
export function dayText(day: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { timeZone: "UTC", day: "numeric", month: "long", year: "numeric" }).format(new Date(`${day}T00:00:00Z`));
}

/** Days as people write them, such as "16–22 November 2026" or "16 a 22 de novembro de 2026". */
export function daysText({ from, to }: Days, locale: string): string {
  const format = new Intl.DateTimeFormat(locale, { timeZone: "UTC", day: "numeric", month: "long", year: "numeric" });
  return written(format.formatRange(new Date(`${from}T00:00:00Z`), new Date(`${to}T00:00:00Z`)), locale);
}

/** In Portuguese the browser has a dash where people write words. */
export function written(range: string, locale: string): string {
  return locale === "pt-BR" ? range.replace(/ (\d\d:\d\d)\s*–\s*(\d\d:\d\d)$/, ", das $1 às $2").replace(/\s*–\s*/, " a ") : range;
}
