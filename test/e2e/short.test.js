// What a user sees first: `npm run short` runs this, and the audits. The other files have the rest.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Client, cacheExchange, fetchExchange } from '@urql/core';
import { withToken } from 'pixgraph-client';
import { newClient } from 'pixgraph-client/sse';
import { subscriptions } from 'pixgraph-client/urql';
import { fullAccess } from './console/personas.js';
import { useBrowser } from './console/suite.js';

describe('what a user sees first', () => {
  const { gateway, openConsole, openPayments } = useBrowser();

  test('GraphiQL signs in, and runs the operation that it opens with', async () => {
    const page = await openConsole();
    await page.signIn(fullAccess);
    const { data, errors } = await page.run();
    assert.equal(errors, undefined);
    assert.equal(data.deposits.nodes.length, 5);
    await page.page.locator('.graphiql-response').getByText('"deposits"').waitFor();
  });

  test('Payments signs in, and leads from the lists to a payment, which becomes PAID', async () => {
    const { openTransaction: id } = await gateway.samples();
    await gateway.setStatus(id, 'PENDING');
    const page = await openPayments();
    await page.panel('Lists').getByRole('link', { name: 'Yesterday' }).first().click();
    const row = page.panel('List').locator('tbody tr').first();
    const amount = await row.locator('.number .amount').first().innerText();
    await row.locator('.row-time a').click();
    await page.panel('Details').waitFor();
    assert.equal(await page.page.getByRole('heading', { level: 1 }).innerText(), amount);
    await page.go(`#/transaction/${id}`);
    await page.page.locator('.head-status').getByText('Pending').waitFor();
    await gateway.setStatus(id, 'PAID');
    await page.page.locator('.head-status').getByText('Paid').waitFor();
  });

  test('urql with pixgraph-client renews its token, runs a query and sees a payment become PAID', async () => {
    const tokens = [await gateway.mint({ ttl: -60 }), gateway.token];
    const send = withToken(async () => tokens.shift());
    const client = new Client({
      url: gateway.url, preferGetMethod: false, fetch: send,
      exchanges: [cacheExchange, subscriptions(newClient(gateway.url, send)), fetchExchange],
    });
    const { data, error } = await client.query('{ deposits(first: 3) { totalCount nodes { id amount } } }', {});
    assert.equal(error, undefined);
    assert.equal(data.deposits.nodes.length, 3);
    assert.deepEqual(tokens, []);

    const [{ id }] = await gateway.transactions(1);
    await gateway.setStatus(id, 'PENDING');
    const document = 'subscription ($id: ID!) { transaction(id: $id, until: [PAID]) { status } }';
    const statuses = await new Promise((resolve, reject) => {
      const seen = [];
      client.subscription(document, { id }).subscribe(async (result) => {
        if (result.error) return reject(result.error);
        if (!result.hasNext) return resolve(seen);
        seen.push(result.data.transaction.status);
        if (seen.length === 1) await gateway.setStatus(id, 'PAID').catch(reject);
      });
    });
    assert.deepEqual(statuses, ['PENDING', 'PAID']);
  });
});
