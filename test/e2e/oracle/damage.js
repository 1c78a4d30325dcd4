// Documents with a character or a token added, removed or replaced, to test the two parsers.

const pieces = [
  '{', '}', '(', ')', '[', ']', ':', '!', '$', '@', '...', '|', '&', '=', '"', '"""', '\\', '#', ',', '\ufeff', '\u00a0',
  '\u0000', '\ud800', 'é', '%', '?', '~', '-',
  '.', '..', '0', '01', '1.', '1.e5', '.5', '1e', '0x1', '1a', '1.5a', '-', 'null', 'on', 'true', 'fragment', 'query',
  'type', '"a\nb"', '"""a\nb"""', '"""\\""""""',
  '"\\u{1F600}"', '"\\u{110000}"', '"\\uD83D\\uDE00"', '"\\u12"', '"\\x"', '"\\ud800"', '\t', '\r', '\u2028', '#\u2028}\n',
  '# \u{1f600}\n', '&&', '$$', '@@', '!!', '__', '_',
];

/** The document with up to two faults. */
export function damaged(query, random) {
  const tokens = query.match(/"(?:[^"\\\n]|\\.)*"|\.\.\.|[\w.]+|\s+|./gsu) ?? [query];
  for (let n = 1 + random.below(2); n > 0; n--) {
    const at = random.below(tokens.length);
    switch (random.below(4)) {
      case 0:
        tokens.splice(at, 1);
        break;
      case 1:
        tokens.splice(at, 0, tokens[random.below(tokens.length)] ?? '');
        break;
      case 2:
        tokens.splice(at, 0, random.of(pieces));
        break;
      default:
        tokens[at] = random.of(pieces);
    }
    if (tokens.length === 0) return '';
  }
  return tokens.join('');
}
