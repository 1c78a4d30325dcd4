import { createContext, useContext } from "react";

/** The languages of the page. The locale is that of dates and numbers. */
export const languages = { pt: { name: "Português", locale: "pt-BR" }, en: { name: "English", locale: "en-GB" } } as const;

export type Language = keyof typeof languages;

/** The same words in each language. English defines which there are. */
export interface Section<Words> {
  en: Words;
  pt: Words;
}

/** Words in each language. Texts of an API select members of them, so they inherit none, such as `constructor`. */
export function section<Words>(words: Section<Words>): Section<Words> {
  return bare(words);
}

/** The same object without the members that all objects inherit, and so the objects in it. */
export function bare<Of>(object: Of): Of {
  if (typeof object !== "object" || object === null || Array.isArray(object)) return object;
  Object.setPrototypeOf(object, null);
  Object.values(object).forEach(bare);
  return object;
}

const key = "pixgraph:language";

/** The language that the user chose, or the first of the browser's that the page has; otherwise English. */
export function preferredLanguage(): Language {
  const asked = [localStorage.getItem(key) ?? "", ...navigator.languages];
  const known = asked.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag in languages);
  return (known ?? "en") as Language;
}

export function keepLanguage(language: Language): void {
  localStorage.setItem(key, language);
}

export const LanguageContext = createContext<Language>("en");

/** The words of a part of the page in the user's language. */
export function useWords<Words>(section: Section<Words>): Words {
  return section[useContext(LanguageContext)];
}

export function useLocale(): string {
  return languages[useContext(LanguageContext)].locale;
}
