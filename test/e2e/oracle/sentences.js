// A text whose wording may change: the reference says only which words it must have.

const prefix = 'a sentence with ';

/** The stand-in for a sentence with these words. */
export const sentence = (words) => prefix + JSON.stringify(words);

export const isSentence = (text) => text.startsWith(prefix);

/** Whether a text is one sentence, and has the words of the stand-in. */
export function agrees(standIn, text) {
  if (typeof text !== 'string' || !/^[A-Z][^.]+\.$/.test(text)) return false;
  const words = text.split(/[ ,.]+/);
  return JSON.parse(standIn.slice(prefix.length)).every((word) => words.includes(word));
}
