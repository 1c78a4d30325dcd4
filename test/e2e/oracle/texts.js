// Texts of Pix that are nearly valid: keys, BR Codes and EndToEndIds, for arguments and for broken records.

const cpfs = [
  '52998224725', '529.982.247-25', '529.982.247-26', '11912345684', '1191234-5684', '119.123.456-84', '11111111111', '***.783.097-**', '5299822472',
];
const cnpjs = [
  '12.abc.345/01de-35', '12ABC34501DE35', '11.222.333/0001-81', '11222333000181', '11222333000182', '00000000000000', '11111111111180',
  '11.111.111/1111-81', '22222222222260', 'AAAAAAAAAAAA45', 'aa.aaa.aaa/aaaa-45', 'AAAAAAAAAAAA46', 'ZZZZZZZZZZZZ00', '1122233300018*',
];
const phones = [
  '(11) 98765-4321', '+5511987654321', '(20) 98765-4321', '11987654321', '011987654321', '5511987654321', '551187654321', '1187654321',
  '+551187654321', '+55 (20) 98765-4321', '+5511887654321', '+12025550123', '+0123', '+1', '0 11 8765 4321', '(06) 98425-7475',
  '+1234567890123456', '11\u201398765\u20114321', '1191234\u20115684', '1191234-56 84', '1191234568-4', '11) 91234 5684', '55987654321',
  '(11) 9****-4321', '5*11987654321',
];
const emails = [
  'maria@example.com', 'Maria@Example.com', 'maria%x@example.com', 'a@b', '@b', 'a@', 'a@-b.c', 'm**a@example.com', 'm*a@example.com',
  `${'a'.repeat(70)}@b.com.br`, `${'é'.repeat(39)}@b`, 'joão@example.com', '\u212amaria@example.com', 'a@b..c', 'a@b@c', ` ${'m'}aria@example.com\u00a0`,
];
const evps = [
  '71CDF9BAC6954E3CB010ABB521A3F1BE', '71cdf9ba-c695-4e3c-b010-abb521a3f1be', '71cdf9bac6954e3cb010abb521a3f1b', '71CDF9BA-c695-4e3c-b010-abb521a3f1b*',
];
const others = ['maria', '', ' ', '\u0085', '\ufeff', '*', '+', 'é'.repeat(129), '1'.repeat(257), ' '.repeat(257), '\u0661\u0662\u0663'];

/** A text that may be a Pix key. */
export function keyText(random) {
  return copied(edited(random.of(random.of([cpfs, cnpjs, phones, emails, evps, others])), random, 15), random);
}

const ids = [
  'E1823612020261129011500000000abc', 'D1823612020260228235900000000AbC', 'E1823612020260230011500000000abc', 'e1823612020261129011500000000abc',
  'E182361é020261129011500000000abc', 'E18236120202611290115', 'E', 'X1823612020261129246000000000abc',
  'E182361202026112901150000000é\u00e9bc', '\u00e9', ' E1823612020261129011500000000abc\n',
  'E1823612000001129011500000000abc', '', ' ', 'E'.repeat(256), 'E1823612020261129011500000000abcd',
];

/** A text that may be an EndToEndId. */
export function idText(random) {
  return copied(edited(random.of(ids), random, 30), random);
}

const names = ['MARIA DA SILVA', 'São Paulo Comércio', 'A'.repeat(26), 'Ana\u{1f469}\u200d\u{1f373}', 'Loja\nde João', 'José\u00a0Ltda'];
const amounts = ['10.00', '12', '12.', '0.00', '0', '0.', '.00', '12.345', '1.5', '9999999999.99', '99999999999.99', 'x'];
const crcHeads = [...Array(20).fill('6304'), '6303'];
const url = 'pix.example.com/qr/v2/1';

/** A text that may be a BR Code: mostly with a correct CRC, as generators write them, and a few edits. */
export function codeText(random) {
  const inBytes = random.percent(30);
  const field = (id, value) => (value === undefined ? '' : id + sizeOf(value, inBytes, random) + value);
  // A clean code has only first values, and a key or a URL.
  const clean = random.percent(35);
  const some = (percent, ...values) => {
    if (clean) return percent >= 60 || random.percent(percent) ? values[0] : undefined;
    return random.percent(percent) ? random.of(values) : undefined;
  };
  const dynamic = clean && random.percent(50);
  const cash = random.percent(15);
  const account = (id) => field(id, field('00', some(95, 'br.gov.bcb.pix', 'BR.GOV.BCB.PIX', 'com.example'))
    + field('01', dynamic ? undefined : some(60, 'maria@example.com', '+5511987654321', '52998224725', 'x', '529.982.247-25', ''))
    + field('02', dynamic ? undefined : some(20, 'Pedido 1', 'São'))
    + field('03', cash ? some(60, '12345678', '12345678', '1234567', 'abcdefgh') : undefined)
    + field('25', clean && !dynamic ? undefined : some(dynamic ? 60 : 40, url, `https://${url}`, `${url}/${'x'.repeat(70)}`)));
  const parts = [
    field('00', some(97, '01', '01', '01', '02')), field('01', some(40, '12', '11', '13')), account('26'),
    !clean && random.percent(10) ? account(random.of(['27', '51', '52'])) : '',
    field('52', some(95, '0000', '5411', '000', 'abcd')), field('53', some(95, '986', '986', '840')),
    field('54', cash ? random.of(['0', '0.00', '0.', '0.01', '0.000', '-0']) : some(50, ...amounts)),
    field('58', some(95, 'BR', 'BR', 'US')), field('59', clean && random.percent(20) ? random.of(names) : some(95, ...names)),
    field('60', some(95, 'SAO PAULO', 'São Paulo', 'A'.repeat(16))), field('61', some(20, '01310100', '01310-100-00')),
    field('62', field('05', some(95, '***', 'ABC123', 'com-hífen', 'A'.repeat(26))) + field('50', some(10, field('00', 'x'), 'abc'))),
    field('64', some(5, field('00', 'pt'), '00')), random.percent(5) ? '8000' : '', !clean && random.percent(10) ? account(random.of(['80', '99'])) : '',
  ];
  const shuffled = !clean && random.percent(10) ? random.shuffled(parts) : parts;
  const begin = edited(`${shuffled.join('')}${clean || random.percent(95) ? random.of(crcHeads) : ''}`, random, clean ? 4 : 12);
  const code = begin + (clean || random.percent(85) ? crcText(begin, random) : random.of(['0000', 'xyz', '', '1d3', 'éé', '6304']));
  if (random.percent(8)) return copied(code.slice(0, random.below(code.length)), random);
  return copied(clean ? code : edited(code, random, 10) + random.of(['', '', '', '', '', '', '', '', 'more', ' ']), random);
}

/** The digits of a length: of the characters, or of the bytes. */
function sizeOf(value, inBytes, random) {
  const size = inBytes ? Buffer.byteLength(value) : [...value].length;
  return String(random.percent(1) ? size + 1 : size).padStart(random.percent(1) ? 3 : 2, '0');
}

/** The CRC of a text as generators write it: in either case, over either encoding, with or without leading zeros. */
function crcText(text, random) {
  const digits = crcOf(Buffer.from(text, random.percent(25) ? 'latin1' : 'utf8')).toString(16);
  const padded = random.percent(75) && text.endsWith('4') ? digits.padStart(4, '0') : digits;
  return random.percent(80) ? padded.toUpperCase() : padded;
}

const invisible = ['\ufeff', '\u200b', '\u200d', '\u00ad', '\u200e', '\n', '\r\n', '\r', '\u0085', '\u2028'];

/** The text as some programs copy it: with characters around and within it, or line breaks instead of spaces. */
function copied(text, random) {
  if (random.percent(70)) return text;
  const lines = random.percent(30) ? text.replace(' ', random.of(['\n', '\r\n', '\r', '\u2029', '\n\u200b'])) : text;
  const at = random.below(lines.length + 1);
  const one = () => (random.percent(40) ? random.of([...invisible, ' ', '\t', '\u00a0']) : '');
  const within = random.percent(50) ? random.of(invisible) : '';
  return one() + `${lines.slice(0, at)}${within}${lines.slice(at)}`.toWellFormed() + one();
}

/** The text, with the given probability with a character removed, replaced or added. */
function edited(text, random, percent) {
  const characters = [...text];
  while (random.percent(percent)) {
    characters.splice(random.below(characters.length + 1), random.below(2), random.of(['', '0', '9', 'x', 'E', ' ', '-', 'é', '*', '\u{1f600}', '.']));
  }
  return characters.join('');
}

/** CRC-16/CCITT-FALSE, by bytes: another form than that of brcode.js. */
function crcOf(bytes) {
  return bytes.reduce((crc, byte) => {
    let x = ((crc >> 8) ^ byte) & 0xff;
    x ^= x >> 4;
    return ((crc << 8) ^ (x << 12) ^ (x << 5) ^ x) & 0xffff;
  }, 0xffff);
}
