// The delivery of a notification, by the table of docs/derived.md.

import { Num } from './json.js';
import { intOf, moments, numberOf, present, textOf } from './moments.js';
import { longestList } from './records.js';
import { sentence } from './sentences.js';

/** The verdicts by what the deciding attempt is: if the status is RECEIVED, SENT, or one of FAILED and ERROR. */
const verdicts = {
  none: ['NOT_ATTEMPTED', 'CONTRADICTORY', 'NOT_ATTEMPTED'],
  2: ['DELIVERED', 'DELIVERED', 'CONTRADICTORY'],
  3: ['REDIRECTED', 'CONTRADICTORY', 'REDIRECTED'],
  4: ['REJECTED', 'CONTRADICTORY', 'REJECTED'],
  5: ['DESTINATION_FAILED', 'CONTRADICTORY', 'DESTINATION_FAILED'],
  silent: ['DESTINATION_FAILED', 'CONTRADICTORY', 'DESTINATION_FAILED'],
};
const columns = ['RECEIVED', 'SENT', 'FAILED', 'ERROR'];

/** What `status` and `executions` of a notification say together. */
export function delivery(notification) {
  const executions = notification.get('executions');
  if (!Array.isArray(executions) || executions.length > longestList) return new Map([['verdict', 'UNKNOWN'], ['explanation', sentence([])]]);
  const times = moments(executions.map((one) => (one instanceof Map ? one.get('createdAt') : undefined)));
  const attempts = executions.map((one, i) => ({ ...attemptOf(one), ...times[i] }));
  const timed = attempts.filter(({ at }) => at !== undefined);
  const earliest = timed.reduce((found, one) => (found && found.at <= one.at ? found : one), undefined);
  const latest = timed.reduce((found, one) => (found && found.at > one.at ? found : one), undefined);
  const last = latest ?? attempts.at(-1);
  const deciding = attempts.find(({ result }) => result === 2) ?? last;
  const result = deciding ? deciding.result : 'none';
  const status = textOf(notification.get('status'));
  const column = Math.min(columns.indexOf(status), 2);
  const verdict = (column >= 0 && verdicts[result]?.[column]) || 'UNKNOWN';
  const slowest = attempts.reduce((found, { took }) => (took && !(found && Number(found.text) >= Number(took.text)) ? took : found), null);
  return present({
    verdict,
    // The wording may change, so only facts are compared: the status that is contradicted, and the status code that decides.
    explanation: sentence([
      ...(verdict === 'CONTRADICTORY' ? [status] : []), ...(result >= 2 && result <= 5 ? [String(deciding.code)] : []),
      ...(attempts.length > 1 ? [String(attempts.length)] : []),
    ]),
    attempts: new Num(String(attempts.length)),
    firstAttemptAt: earliest?.text,
    lastAttemptAt: latest?.text,
    lastStatusCode: last?.code === undefined ? null : new Num(String(last.code)),
    slowestResponseTime: slowest,
  });
}

/** The result of an attempt: the first digit of its status code, or silent without a code; undefined if it cannot be read. */
function attemptOf(execution) {
  if (!(execution instanceof Map)) return {};
  const response = execution.get('response') ?? new Map();
  if (!(response instanceof Map)) return {};
  const took = numberOf(response.get('responseTime'));
  const sent = response.get('statusCode') ?? null;
  const code = sent === null ? undefined : intOf(sent);
  if (sent === null || code === 0) return { result: 'silent', code, took };
  return { result: code >= 200 && code < 600 ? Math.floor(code / 100) : undefined, code, took };
}
