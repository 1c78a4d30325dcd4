import { encodeBase64URL } from "./base64url.ts";

/** 256 random bits: a state, a nonce, a verifier (RFC 7636, section 4.1). */
export function randomText(): string {
  return encodeBase64URL(crypto.getRandomValues(new Uint8Array(32)));
}

/** The S256 challenge of a verifier (RFC 7636, section 4.2). */
export async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return encodeBase64URL(new Uint8Array(digest));
}
