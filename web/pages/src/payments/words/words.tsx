import { createContext, useContext } from "react";
import { shared } from "../../base/stored.ts";

/** The languages of the page. The locale is that of dates and numbers. */
export const languages = { pt: { name: "Português", locale: "pt-BR" }, en: { name: "English", locale: "en-GB" } } as const;

export type Language = keyof typeof languages;

/** A word in each language. */
export class Both<Word> {
  readonly en: Word;
  readonly pt: Word;

  constructor(en: Word, pt: Word) {
    this.en = en;
    this.pt = pt;
  }
}

export function both(en: string, pt: string): Both<string>;
export function both<Word>(en: Word, pt: NoInfer<Word>): Both<Word>;
export function both<Word>(en: Word, pt: Word): Both<Word> {
  return new Both(en, pt);
}

type In<Words> = Words extends Both<infer Word> ? Word : { [Name in keyof Words]: In<Words[Name]> };

/** The words of a part of the page, by language. */
export type Section<Words> = Record<Language, Words>;

/** Words in each language. Texts of an API select members of them, so they inherit none, such as `constructor`. */
export function section<Words extends object>(words: Words): Section<In<Words>> {
  const inLanguage = (of: object, language: Language): object => Object.fromEntries(Object.entries(of).map(([name, word]) => (
    [name, word instanceof Both ? (word[language] as unknown) : inLanguage(word as object, language)])));
  return bare({ en: inLanguage(words, "en"), pt: inLanguage(words, "pt") }) as Section<In<Words>>;
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
  const asked = [shared.getItem(key) ?? "", ...navigator.languages];
  const known = asked.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag in languages);
  return (known ?? "en") as Language;
}

export function keepLanguage(language: Language): void {
  shared.setItem(key, language);
}

export const LanguageContext = createContext<Language>("en");

/** The words of a part of the page in the user's language. */
export function useWords<Words>(section: Section<Words>): Words {
  return section[useContext(LanguageContext)];
}

export function useLocale(): string {
  return languages[useContext(LanguageContext)].locale;
}
