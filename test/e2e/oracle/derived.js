// The fields that the gateway computes from a record, or from an argument (docs/derived.md): resolvers by type and field.

import { brCode } from './brcode.js';
import { delivery } from './delivery.js';
import { endToEndId } from './endtoend.js';
import { pixKey } from './pixkey.js';
import { timeline } from './timeline.js';

const payment = { timeline, endToEndId: idOf('endToEnd'), endToEndRefundId: idOf('endToEndRefund') };

export const derived = {
  Query: { pixKey: (_, { text }) => pixKey(text), pixCode: (_, { text }) => brCode(text) },
  Notification: { delivery, live: () => null },
  Transaction: { ...payment, live: () => null },
  Deposit: payment,
  Withdrawal: { ...payment, live: () => null },
  PixResponse: { brCode: (response) => brCode(valid(response.get('uri'))) },
};

/** The resolver of an EndToEndId: null without a text. */
function idOf(member) {
  return (record) => {
    const text = record.get(member) ?? null;
    return text === null ? null : endToEndId(valid(text));
  };
}

function valid(text) {
  if (typeof text !== 'string' || !text.isWellFormed()) throw new Error('not a text');
  return text;
}
