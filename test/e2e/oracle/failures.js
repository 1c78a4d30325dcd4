// Errors of fields with the code that docs/errors.md has for their cause. Another error of a resolver is a record that breaks
// the contract.

import { GraphQLError } from 'graphql';

export class Failure extends Error {
  constructor(code) {
    super(code);
    this.code = code;
  }
}

/** The API has no such record. For a field that follows a link this is null, not an error. */
export class NotFound extends Failure {
  constructor() {
    super('NOT_FOUND');
  }
}

const codes = { 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN', 422: 'BAD_USER_INPUT' };

/** The error for the status of a response. */
export const failureOf = (status) => (status === 404 ? new NotFound() : new Failure(codes[status] ?? 'UPSTREAM_INVALID_RESPONSE'));

/** Ensures that an argument has a value that is allowed. */
export function allow(ok) {
  if (!ok) throw new Failure('BAD_USER_INPUT');
  return ok;
}

/** The code of an error of graphql-js. Its own errors of fields are about arguments. */
export function codeOf({ originalError }) {
  if (!originalError || originalError instanceof GraphQLError) return 'BAD_USER_INPUT';
  return originalError.code ?? 'UPSTREAM_INVALID_RESPONSE';
}
