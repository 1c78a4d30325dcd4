import { centsOf } from "../../base/money.ts";
import { isDay } from "../route.ts";
import { addDays, dayOf, firstOfMonth, lastMonthOf, weekOf } from "../zone.ts";

/** What a text says in a person's words, or as a receipt does, such as "pagou R$ 51,70 ontem ao meio-dia". */
export interface Described {
  /** The only amount; null without one, or with several. */
  cents: number | null;
  /** The first day; null if there is no such day, undefined if the text names no day. */
  day?: string | null;
  /** The last day, of a text that says from which day to which. */
  until?: string;
  /** The text without the amount, the day and times; without an amount also without the words that `told` is about. */
  rest: string;
  /** Whether it had a time. */
  timed: boolean;
  /** Whether it has words of receipts or of people who report payments, so that the rest is not a name. */
  told: boolean;
}

const months = ["jan", "feb|fev", "mar", "apr|abr", "may|mai", "jun", "jul", "aug|ago", "sep|set", "oct|out", "nov", "dec|dez"];
const endings = "eiro|uary|ereiro|ruary|ço|ch|il|o|ho|e|y|sto|ust|embro|tember|ubro|ober|ember";
const between = "[\\s/.-]*(?:de\\s+)?";
// A part of a longer code is not a day.
const dayPattern = (day: string) => new RegExp(`(?<![^\\s,;:(])${day}(?=$|[\\s,;:)]|[.?!](?:\\s|$))`, "iu");
const days = [
  dayPattern("(?<y>20\\d\\d)-(?<m>\\d\\d)-(?<d>\\d\\d)"),
  dayPattern("(?<d>\\d{1,2})([/.-])(?<m>\\d{1,2})\\2(?<y>20\\d\\d|\\d\\d)"),
  dayPattern(`(?<d>\\d{1,2})(?:º|st|nd|rd|th)?${between}(?<m>(?:${months.join("|")})(?:${endings})?)(?:${between}(?<y>20\\d\\d))?`),
  dayPattern(`(?<m>(?:${months.join("|")})(?:${endings})?)\\.?\\s+(?<d>\\d{1,2})(?:st|nd|rd|th)?(?:,?\\s+(?<y>20\\d\\d))?`),
  dayPattern("(?<d>\\d{1,2})/(?<m>\\d{1,2})"),
  dayPattern("dia\\s+(?<d>\\d{1,2})"),
];
const relative = /(?<!\p{L})(?:(anteontem)|(ontem|yesterday)|(hoje|today))(?!\p{L})/iu;
const periods = /(?<!\p{L})(?:(?:est[ae]|nest[ae]|this)\s+(?:(semana|week)|mês|month)|(?:(semana|last\s+week)|mês|last\s+month)(?:\s+passad[ao])?)(?!\p{L})/iu;
const to = /^\s*(?:a|ao|até|to|until|[–—-])\s+(?:dia\s+)?/iu;
// "1 a 27/11" is "1/11 a 27/11".
const sharedMonth = new RegExp(`(?<![\\d/.,-])(\\d{1,2})º?\\s+(a|ao|até|to)\\s+(\\d{1,2})(/\\d{1,2}(?:/\\d{2,4})?|\\s+(?:de\\s+)?(?:${months.join("|")})(?:${endings})?(?:\\s+(?:de\\s+)?20\\d\\d)?)(?![\\d/])`, "giu");
const times = /(?<![\d.,/])\d{1,2}(?::\d\d(?::\d\d)?|h\d\d(?:m(?:in)?)?|h)(?![\p{L}\d])|(?<!\p{L})(?:meio[ -]dia|meia[ -]noite|noon|midnight)(?!\p{L})/giu;
// An amount has a unit or cents. Thousands match too, although they are not read, so that no part of them is taken.
const amount = /R\$\s*\d(?:[\d.,]*\d)?(?![\d.,]*\s*mil(?!\p{L}))|(?<![\d.,/-])\d(?:[\d.,]*\d)?(?:(?=\s*reais(?!\p{L}))|[.,]\d\d(?!\d|[.,/-]\d))|\d\s*mil(?!\p{L})/giu;
const thousands = /(?<![\d.,/-])(\d{1,3})\s*mil(?!\p{L}|\s+e\s)(?:\s+reais(?!\p{L}))?/giu;
const centavos = /(\d)\s*reais\s+e\s+(\d\d?)\s+centavos?(?!\p{L})/giu;
const words = /(?<!\p{L})(?:clientes?|customer|pagou|paguei|pago|paid|pagamento|payment|comprovante|receipt|valor|amount|pix|reais)(?!\p{L})/giu;
const linking = "(?:de|do|da|em|no|na|dia|às|as|ao|à|a|por|para|from|of|on|at|by|to)";
// One separator at a time: of a line of hyphens, as receipts have them, there is one way to read it.
const edges = new RegExp(`^(?:[\\s,;:–-]|${linking}\\s)+|(?:[\\s,;:–-]${linking}?)+$|^${linking}$`, "giu");

/** Reads the amount and the day within a text; null for a text without a day, a time and words of a report. */
export function describedOf(entered: string, now: Date): Described | null {
  const text = entered.normalize("NFC").replace(thousands, "$1.000 reais").replace(centavos, (_, reais: string, cents: string) => `${reais},${cents.padStart(2, "0")} reais`);
  const [day, undated, until] = dayIn(text.replace(sharedMonth, "$1$4 $2 $3$4").replace(/(\/\d{1,4})\s*-(?=\d{1,2}\/)/g, "$1 - "), dayOf(now));
  const untimed = undated.replace(times, " ");
  const timed = untimed !== undated;
  const told = text.search(words) >= 0;
  if (day === undefined && !timed && !told) return null;
  const amounts = new Set((untimed.match(amount) ?? []).map((each) => centsOf(inBrazil(each))).filter((cents) => cents !== 0)); // a fee of R$ 0,00
  const [cents = null] = amounts.size === 1 ? amounts : [];
  const rest = cents === null ? untimed.replace(words, " ") : untimed.replace(amount, " ").replace(/(?<!\p{L})reais(?!\p{L})/giu, " ");
  return { cents, ...(day !== undefined && { day }), ...(until !== undefined && { until }), rest: trimmed(rest.replace(/\s+/g, " ")), timed, told };
}

/** A text without separators and prepositions at its ends. */
export function trimmed(text: string): string {
  return text.replace(edges, "");
}

/** The first day in a text, or the first and the last, and the text without them. */
function dayIn(text: string, today: string): [day: string | null | undefined, rest: string, until?: string] {
  const first = firstDay(text, today);
  if (first !== null) {
    const after = text.slice(first.end);
    const second = to.test(after) ? firstDay(after.replace(to, ""), today) : null;
    if (second?.start !== 0) return [first.day, `${text.slice(0, first.start)} ${after}`];
    const [from, until] = inOrder(first, second);
    const rest = `${text.slice(0, first.start)} ${after.replace(to, "").slice(second.end)}`;
    return until === null ? [from, rest] : [from, rest, until];
  }
  const [period, thisWeek, lastWeek] = periods.exec(text) ?? [];
  if (period !== undefined && (/^(?:n?est|this)/i.test(period) || /passad|last/i.test(period))) {
    const { from, to: until } = thisWeek !== undefined ? weekOf(today)
      : lastWeek !== undefined ? { from: addDays(weekOf(today).from, -7), to: addDays(weekOf(today).from, -1) }
      : /passad|last/i.test(period) ? lastMonthOf(today) : { from: firstOfMonth(today), to: today };
    return [from, text.replace(period, " "), until];
  }
  const [word, beforeYesterday, yesterday] = relative.exec(text) ?? [];
  if (word === undefined) return [undefined, text];
  return [addDays(today, beforeYesterday !== undefined ? -2 : yesterday !== undefined ? -1 : 0), text.replace(word, " ")];
}

interface Day {
  day: string | null;
  hasYear: boolean;
  start: number;
  end: number;
}

function firstDay(text: string, today: string): Day | null {
  const [first] = days.map((pattern) => pattern.exec(text)).filter((found) => found !== null).sort((a, b) => a.index - b.index);
  if (first === undefined) return null;
  const { d = "", m, y } = first.groups ?? {};
  return { day: dayWith(d, m, y, today), hasYear: y !== undefined, start: first.index, end: first.index + first[0].length };
}

/** Two days in their order. A year that only the last one has is also that of the first. Null and null if one does not exist. */
function inOrder(first: Day, last: Day): [string, string] | [null, null] {
  if (first.day === null || last.day === null) return [null, null];
  const day = !first.hasYear && first.day > last.day ? `${last.day.slice(0, 4)}${first.day.slice(4)}` : first.day;
  return day <= last.day ? [day, last.day] : [last.day, day];
}

/** Without a year, or without a month, it is the last such day. */
function dayWith(d: string, m: string | undefined, y: string | undefined, today: string): string | null {
  if (m === undefined) {
    const month = d.padStart(2, "0") > today.slice(8) ? addDays(`${today.slice(0, 8)}01`, -1) : today;
    return dayWith(d, month.slice(5, 7), month.slice(0, 4), today);
  }
  const named = months.findIndex((names) => new RegExp(`^(?:${names})`, "i").test(m));
  const monthAndDay = `${named < 0 ? m.padStart(2, "0") : String(named + 1).padStart(2, "0")}-${d.padStart(2, "0")}`;
  const year = Number(today.slice(0, 4));
  const day = `${y?.padStart(4, "20") ?? (`${year}-${monthAndDay}` > today ? year - 1 : year)}-${monthAndDay}`;
  return isDay(day) ? day : null;
}

/** An amount such as 1,234.56 as it is written in Brazil. */
export function inBrazil(text: string): string {
  return /^(R\$\s*)?\d{1,3}(,\d{3})+\.\d\d$/.test(text) ? text.replaceAll(",", "").replace(".", ",") : text;
}
