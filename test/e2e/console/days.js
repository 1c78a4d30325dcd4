// Days as Payments counts them.

const inBrazil = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Sao_Paulo', year: 'numeric', month: '2-digit', day: '2-digit' });

/** The day of an instant, such as '2026-11-23'. */
export function dayOf(instant) {
  return inBrazil.format(new Date(instant));
}

/** The day a number of days ago. */
export function daysAgo(count) {
  return dayOf(Date.now() - count * 86_400_000);
}
