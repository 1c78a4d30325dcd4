// What the tests of a suite share.

import { after, afterEach, before } from 'node:test';
import { Gateway } from './gateway.js';

/**
 * A gateway for the tests of a suite: it is started before them, healed after each of them, and stopped at the end.
 *
 * @param {...string} flags such as '--introspection=off'
 */
export function useGateway(...flags) {
  const gateway = new Gateway();
  before(() => gateway.start(...flags));
  afterEach(() => gateway.heal());
  after(() => gateway.stop());
  return gateway;
}
