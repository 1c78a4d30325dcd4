// The renewal of the caller's token.

/** The token could not be renewed; `cause` is why. */
export class TokenError extends Error {
  override name = 'TokenError';

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** A new token, without white space around it. It rejects with a TokenError that does not have the token. */
export async function renewed(renew: () => Promise<string>): Promise<string> {
  let token: unknown;
  try {
    token = await renew();
  } catch (error) {
    throw new TokenError(error);
  }
  const text = typeof token === 'string' ? token.trim() : '';
  if (/^[!-~]+$/.test(text)) return text;
  throw new TokenError('renew returned no token'); // such as the page of an error
}
