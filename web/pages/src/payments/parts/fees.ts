import { createContext, useContext } from "react";
import type { FeeUnit } from "../../base/config.ts";
import { money, quantity, type Shown } from "../../base/money.ts";
import { useLocale } from "../words/words.tsx";

/** The unit of fees, by the configuration of the gateway. */
export const FeesContext = createContext<FeeUnit>("unknown");

/** A fee, or a sum of fees, in reais if its unit is known, and otherwise as a number. */
export function useFee(): (fee: string | null) => Shown | null {
  const unit = useContext(FeesContext);
  const locale = useLocale();
  return (fee) => (unit === "unknown" ? quantity(fee, locale) : money(fee, locale, unit));
}
