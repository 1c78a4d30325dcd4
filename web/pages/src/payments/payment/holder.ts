/** A CPF or CNPJ with its punctuation; another text, such as a masked one, as it is. */
export function documentText(document: string): string {
  if (/^\d{11}$/.test(document)) return document.replace(/(...)(...)(...)(..)/, "$1.$2.$3-$4");
  if (/^[0-9A-Z]{12}\d\d$/.test(document)) return document.replace(/(..)(...)(...)(....)(..)/, "$1.$2.$3/$4-$5");
  return document;
}
