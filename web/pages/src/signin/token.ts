import { decodeBase64URL } from "./base64url.ts";

/** An access token and its claims. The page does not verify it: the gateway does. */
export interface Token {
  text: string;
  subject: string;
  scopes: string[];
  /** Milliseconds since 1970; null if the token has no expiry. */
  expires: number | null;
}

/** The gateway's own limit. */
const maxLength = 16 << 10;

/** Parses a pasted text: a JWT, with or without "Bearer" before it. Throws an Error that says what is wrong. */
export function readToken(pasted: string): Token {
  const text = pasted.trim().replace(/^Bearer\s+/i, "");
  if (text === "") throw new Error("There is no token.");
  if (text.length > maxLength) throw new Error("This is too long for a token.");
  const parts = text.split(".");
  if (parts.length !== 3 || !/^[A-Za-z0-9_.-]+$/.test(text)) {
    throw new Error("This is not a JWT: it must be three parts of letters, digits, - and _, separated by dots.");
  }
  const claims = readClaims(text);
  return { text, subject: asText(claims["sub"]), scopes: scopesOf(claims), expires: expiryOf(claims) };
}

/** The claims of a JWT, unverified. */
export function readClaims(jwt: string): Record<string, unknown> {
  try {
    const payload = decodeBase64URL(jwt.split(".")[1] ?? "");
    const claims: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(payload));
    if (typeof claims === "object" && claims !== null && !Array.isArray(claims)) {
      return claims as Record<string, unknown>;
    }
  } catch {
    // the error below applies
  }
  throw new Error("This is not a JWT: its second part has no claims.");
}

/** The scopes, from the claims that issuers use; the gateway reads the same claims. */
function scopesOf(claims: Record<string, unknown>): string[] {
  for (const name of ["scope", "scp", "permissions"]) {
    const value = claims[name];
    if (typeof value === "string") return value.split(" ").filter((scope) => scope !== "");
    if (Array.isArray(value)) return value.filter((scope) => typeof scope === "string");
  }
  return [];
}

function expiryOf(claims: Record<string, unknown>): number | null {
  const exp = claims["exp"];
  return typeof exp === "number" && Number.isFinite(exp) ? exp * 1000 : null;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function isExpired(token: Token, now: number): boolean {
  return token.expires !== null && token.expires <= now;
}

/** The maximum delay of setTimeout. */
const maxWait = 2 ** 31 - 1;

/** Milliseconds until the token expires; null if it has no expiry. */
export function endsIn(token: Token, now: number): number | null {
  return token.expires === null ? null : Math.min(Math.max(token.expires - now, 0), maxWait);
}

/** A token is renewed at most this long before its expiry. */
const renewBefore = 30_000;

/** Milliseconds until the token should be renewed: shortly before its expiry, and for short lifetimes at three quarters. */
export function renewIn(token: Token, now: number): number | null {
  const left = endsIn(token, now);
  return left === null ? null : left - Math.min(renewBefore, left / 4);
}

/** The remaining time for display, such as "12 min left". */
export function timeLeft(token: Token, now: number): string {
  if (token.expires === null) return "";
  const seconds = Math.ceil((token.expires - now) / 1000);
  if (seconds <= 0) return "expired";
  if (seconds < 90) return `${seconds} s left`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min left`;
  return `${Math.round(seconds / 3600)} h left`;
}
