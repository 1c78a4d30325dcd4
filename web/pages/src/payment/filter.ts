import { centsOf, reais } from "../format.ts";

/** What the user enters to find a deposit. */
export interface Search {
  amount: string; // in reais
  from: string; // of an input of the type datetime-local, in the reader's zone
  to: string;
}

export const emptySearch: Search = { amount: "", from: "", to: "" };

/** The largest amount of the API's filters. */
const mostCents = 10_000_000;

/** The DepositFilter for a search. Throws an Error for the user. */
export function filterOf({ amount, from, to }: Search): Record<string, unknown> {
  const filter: Record<string, unknown> = {};
  if (amount.trim() !== "") {
    const cents = centsOf(amount);
    if (cents === null) throw new Error("Enter the amount in reais, such as 51,70.");
    if (cents < 1 || cents > mostCents) throw new Error(`The API searches amounts from ${reais(1)} to ${reais(mostCents)}.`);
    filter["minAmount"] = cents;
    filter["maxAmount"] = cents;
  }
  if (from !== "") filter["startDate"] = new Date(from).toISOString();
  if (to !== "") filter["endDate"] = new Date(to).toISOString();
  return filter;
}
