// Gives records unusual facts for derived fields to tell: attempts with any status code, dates in any order and at the same time,
// texts of Pix that are nearly valid. The record stays valid, mostly.

import { Num, parse } from './json.js';
import { codeText, idText } from './texts.js';

const zoned = ['2026-06-01T00:00:00Z', '2026-05-31T21:00:00-03:00', '2026-06-01T00:00:00.5Z', '2026-06-01T00:00:00.1234567Z', '2026-06-02T00:00Z',
  '2026-05-31 21:00:01-0300', '2026-06-01t00:00:02z', '2026-06-01T00:00:03+00'];
const local = ['2026-06-01T00:00:00', '2026-06-01T00:00', '2026-06-01T12:00:00.25', '2026-05-31 21:00:00'];
const clocks = [zoned, zoned, local, [...zoned, ...local], [...zoned, 'x', '2026-06-01']];
const dates = ['createdAt', 'paymentDate', 'processedDate', 'infractionDate', 'refundDate', 'updatedAt'];
const codes = ['0', '0', '101', '200', '204', '204', '299', '300', '301', '302', '399', '400', '404', '499', '500', '503', '599', '600', '4294967496', '2e2'];
const contacts = ['"a@b.c"', '{"value": "a@b.c"}', '{"value": 5}', '{"value": {}, "x": 1}', '{"value": null}', '{}'];
const took = ['1', '1.0', '17', '250.5', '1e3', '9007199254740993', '0'];

export function scrambleNotification(record, random) {
  if (!random.percent(60)) return;
  const times = random.of(clocks);
  record.set('status', random.of(['RECEIVED', 'SENT', 'FAILED', 'ERROR', 'RECEIVED', 'SENT', 'NEW']));
  record.set('executions', Array.from({ length: random.below(5) }, () => attempt(times, random)));
}

function attempt(times, random) {
  const response = new Map([['statusCode', new Num(random.of(codes))], ['body', 'x'], ['responseTime', new Num(random.of(took))]]);
  if (random.percent(15)) response.set('statusCode', null);
  return new Map([
    ['url', 'https://example.com'], ['headers', null], ['createdAt', random.of(times)], ['response', response], ['userId', 'u'], ['storeId', 's'],
  ]);
}

export function scramblePayment(record, random) {
  if (random.percent(30)) {
    const times = random.of(clocks);
    for (const name of dates) if (typeof record.get(name) === 'string' || random.percent(30)) record.set(name, random.of(times));
    for (const entry of record.get('statusHistory') ?? []) {
      entry.set('date', random.of(times));
      if (random.percent(15)) entry.set(random.of(['status', 'durationInMilliseconds']), random.of([null, true, 'x', new Num('5'), new Num('1.50')]));
    }
    if (random.percent(50)) record.get('pixResponse')?.set('expirationDate', random.of(times));
  }
  if (random.percent(30)) record.get('pixResponse')?.set('uri', codeText(random));
  // Half of a surrogate pair makes all of the metadata unreadable, also the ids of notifications.
  if (random.percent(15) && record.get('metadata') instanceof Map) record.get('metadata').set('note', '\ud800');
  const customer = record.get('customer');
  for (const name of ['email', 'landline', 'mobilePhone']) {
    if (customer instanceof Map && random.percent(25)) customer.set(name, parse(random.of(contacts)));
  }
  for (const name of ['endToEnd', 'endToEndRefund']) if (random.percent(20)) record.set(name, idText(random));
}
