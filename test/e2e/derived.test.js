// Derived fields, through graphql-request: each is compared with what this test computes from the record in the same response.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { GraphQLClient, gql } from 'graphql-request';
import { useGateway } from './suite.js';

describe('derived fields', () => {
  const gateway = useGateway();
  let client;
  before(() => { client = new GraphQLClient(gateway.url, { headers: gateway.headers }); });

  const deposits = gql`
    query Deposits {
      deposits(first: 100) {
        nodes {
          amount depositOrigin createdAt updatedAt paymentDate refundDate endToEnd endToEndRefund
          statusHistory { status date durationInMilliseconds }
          timeline { at source index status durationInMilliseconds sincePreviousInMilliseconds }
          endToEndId { ...Parts }
          endToEndRefundId { ...Parts }
          pixResponse {
            uri expirationDate
            brCode {
              kind oneTime key url amount merchantName merchantCity txid crc wellFormed
              keyText { type normalized }
              problems { code field }
            }
          }
        }
      }
    }
    fragment Parts on EndToEndId { kind ispb minute sequence wellFormed problems { code } }
  `;

  test('a timeline has the dates of the record in order', async () => {
    const { nodes } = (await client.request(deposits)).deposits;
    for (const deposit of nodes) {
      const dates = [
        [deposit.createdAt, 'CREATED_AT'],
        ...deposit.statusHistory.map(({ date }, i) => [date, 'STATUS_HISTORY', i]),
        [deposit.paymentDate, 'PAYMENT_DATE'], [deposit.refundDate, 'REFUND_DATE'], [deposit.updatedAt, 'UPDATED_AT'],
        [deposit.pixResponse?.expirationDate, 'PIX_EXPIRATION'],
      ].filter(([at]) => at);
      const valid = ([at]) => /T.*(Z|[+-]\d\d:\d\d)$/.test(at); // the expiration can have another format
      const sorted = [...dates.filter(valid).sort(([a], [b]) => Date.parse(a) - Date.parse(b)), ...dates.filter((one) => !valid(one))];
      assert.deepEqual(deposit.timeline, sorted.map(([at, source, index], i) => ({
        at, source, index: index ?? null,
        status: deposit.statusHistory[index]?.status ?? null,
        durationInMilliseconds: deposit.statusHistory[index]?.durationInMilliseconds ?? null,
        sincePreviousInMilliseconds: i > 0 && valid(sorted[i]) ? Date.parse(at) - Date.parse(sorted[i - 1][0]) : null,
      })));
    }
    assert.ok(nodes.some(({ refundDate }) => refundDate));
  });

  test('a Pix code is decoded', async () => {
    const { nodes } = (await client.request(deposits)).deposits;
    const kinds = new Set();
    for (const { amount, depositOrigin, pixResponse } of nodes.filter((deposit) => deposit.pixResponse)) {
      const { brCode, uri } = pixResponse;
      const fields = fieldsOf(uri);
      const account = fieldsOf(fields['26']);
      const txid = fieldsOf(fields['62'])['05'];
      assert.equal(uri.slice(-4), crc(uri.slice(0, -4)));
      assert.equal(brCode.keyText?.normalized ?? null, account['01'] ?? null);
      delete brCode.keyText;
      assert.deepEqual(brCode, {
        kind: depositOrigin === 'PIX_KEY' ? 'STATIC' : 'DYNAMIC', oneTime: fields['01'] === '12', key: account['01'] ?? null,
        url: account['25'] ?? null, amount, merchantName: fields['59'], merchantCity: fields['60'],
        txid: txid === '***' ? null : txid, crc: 'CORRECT', wellFormed: true, problems: [],
      });
      assert.equal(fields['54'], (amount / 100).toFixed(2));
      kinds.add(brCode.kind);
    }
    assert.equal(kinds.size, 2);
  });

  test('an EndToEndId is decoded', async () => {
    const { nodes } = (await client.request(deposits)).deposits;
    for (const [text, parts] of nodes.flatMap((d) => [[d.endToEnd, d.endToEndId], [d.endToEndRefund, d.endToEndRefundId]])) {
      const [, kind, ispb, y, month, d, h, m, sequence] = /^(.)(.{8})(.{4})(..)(..)(..)(..)(.{11})$/.exec(text ?? '') ?? [];
      assert.deepEqual(parts, text && {
        kind: { E: 'PAYMENT', D: 'REFUND' }[kind], ispb, minute: `${y}-${month}-${d}T${h}:${m}:00Z`, sequence, wellFormed: true, problems: [],
      });
    }
    for (const field of ['endToEnd', 'endToEndRefund']) assert.ok(nodes.some((d) => d[field]) && nodes.some((d) => !d[field]), field);
  });

  test('a delivery has the verdict of its status and its attempts', async () => {
    const ids = (await gateway.transactions(20)).map(({ id }) => id);
    const { transactions } = await client.request(gql`
      query Deliveries($ids: [ID!]!) {
        transactions(ids: $ids) {
          notifications {
            nodes {
              status executions { createdAt response { statusCode responseTime } }
              delivery { verdict explanation attempts firstAttemptAt lastAttemptAt lastStatusCode slowestResponseTime }
            }
          }
        }
      }
    `, { ids });
    const verdicts = new Set();
    for (const { status, executions, delivery } of transactions.flatMap(({ notifications }) => notifications.nodes)) {
      const attempts = executions.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
      const last = attempts.at(-1);
      const { explanation, ...facts } = delivery;
      verdicts.add(facts.verdict);
      assert.match(explanation, /^[A-Z].*\.$/);
      assert.deepEqual(facts, {
        verdict: verdict(status, attempts.map(({ response }) => Math.floor(response.statusCode / 100))),
        attempts: attempts.length, firstAttemptAt: attempts[0]?.createdAt ?? null, lastAttemptAt: last?.createdAt ?? null,
        lastStatusCode: last?.response.statusCode ?? null,
        slowestResponseTime: attempts.length > 0 ? Math.max(...attempts.map(({ response }) => response.responseTime)) : null,
      });
    }
    assert.ok(verdicts.size > 1, [...verdicts].join());
  });

  test('a Pix key is read with and without punctuation, without calls', async () => {
    const { withdrawals } = await client.request('{ withdrawals(first: 100) { nodes { pixKey { key type } } } }');
    const keys = withdrawals.nodes.flatMap(({ pixKey }) => pixKey ?? []);
    await gateway.forgetCalls();
    const read = gql`query Key($text: String!) { pixKey(text: $text) { type normalized problems { code } } }`;
    const types = new Set();
    for (const { key, type } of keys) {
      const masked = key.includes('**');
      for (const text of [key, typed(key, type)]) {
        const { pixKey } = await client.request(read, { text });
        const codes = pixKey.problems.map(({ code }) => code);
        assert.equal(pixKey.type, type);
        assert.equal(pixKey.normalized, masked ? null : key);
        assert.equal(codes.includes('NOT_NORMAL'), !masked && text !== key);
        assert.equal(codes.includes('MASKED'), masked);
      }
      types.add(type);
    }
    assert.deepEqual([...types].sort(), ['CNPJ', 'CPF', 'EMAIL', 'EVP', 'PHONE']);
    assert.deepEqual(await gateway.calls(), []);
  });
});

/** The fields of a template of a BR Code. */
function fieldsOf(text) {
  const fields = {};
  for (let at = 0; at < text.length; ) {
    const size = Number(text.slice(at + 2, at + 4));
    fields[text.slice(at, at + 2)] = text.slice(at + 4, at + 4 + size);
    at += 4 + size;
  }
  return fields;
}

/** CRC-16/CCITT-FALSE in hexadecimal. */
function crc(text) {
  let register = 0xffff;
  for (const byte of Buffer.from(text)) {
    register ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) register = register & 0x8000 ? (register << 1) ^ 0x1021 : register << 1;
  }
  return (register & 0xffff).toString(16).toUpperCase().padStart(4, '0');
}

/** The verdict of a notification by the first digits of its attempts' status codes. */
function verdict(status, digits) {
  const accepted = digits.includes(2);
  if (status === 'SENT' ? !accepted : accepted && status !== 'RECEIVED') return 'CONTRADICTORY';
  if (accepted) return 'DELIVERED';
  return { 3: 'REDIRECTED', 4: 'REJECTED', 5: 'DESTINATION_FAILED', 0: 'DESTINATION_FAILED', undefined: 'NOT_ATTEMPTED' }[digits.at(-1)];
}

/** A key as a person types it. */
function typed(key, type) {
  switch (type) {
    case 'CPF': return key.replace(/^(...)(...)(...)(..)$/, '$1.$2.$3-$4');
    case 'CNPJ': return key.replace(/^(..)(...)(...)(....)(..)$/, '$1.$2.$3/$4-$5');
    case 'PHONE': return key.replace(/^\+55(..)(.*)(....)$/, '($1) $2-$3');
    default: return key.toUpperCase();
  }
}
