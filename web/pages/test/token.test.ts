import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeBase64URL } from "../src/signin/base64url.ts";
import { endsIn, isExpired, readToken, renewIn, timeLeft, type Token } from "../src/signin/token.ts";

function jwt(claims: unknown): string {
  return `e30.${encodeBase64URL(new TextEncoder().encode(JSON.stringify(claims)))}.c2ln`;
}

function token(expires: number | null): Token {
  return { text: "", subject: "", scopes: [], expires };
}

test("a token has subject, scopes and expiry", () => {
  const text = jwt({ sub: "joão", scope: "a b", exp: 100 });
  assert.deepEqual(readToken(`  Bearer ${text}\n`), { text, subject: "joão", scopes: ["a", "b"], expires: 100_000 });
});

for (const [name, claims, scopes] of [
  ["scp", { scp: ["a", "b"] }, ["a", "b"]],
  ["permissions", { permissions: ["a"] }, ["a"]],
  ["none", {}, []],
  ["of a wrong type", { scope: 1, scp: [2, "a"] }, ["a"]],
] as const) {
  test(`scopes: ${name}`, () => assert.deepEqual(readToken(jwt(claims)).scopes, scopes));
}

for (const [name, text, says] of [
  ["nothing", " ", /no token/],
  ["two parts", "a.b", /three parts/],
  ["a line break within", "a.b\n.c", /three parts/],
  ["a quote", 'a.b".c', /three parts/],
  ["no JSON", "a.b.c", /no claims/],
  ["a list", jwt([]), /no claims/],
  ["null", jwt(null), /no claims/],
  ["too long", jwt({ a: "x".repeat(16 << 10) }), /too long/],
] as const) {
  test(`no token: ${name}`, () => assert.throws(() => readToken(text), says));
}

test("an expiry that is not a number is ignored", () => {
  assert.equal(readToken(jwt({ exp: "soon" })).expires, null);
});

test("a token is expired at its expiry", () => {
  assert.equal(isExpired(token(1000), 999), false);
  assert.equal(isExpired(token(1000), 1000), true);
  assert.equal(isExpired(token(null), 1000), false);
});

for (const [name, expires, wait] of [
  ["an hour: half a minute before its expiry", 3_600_000, 3_570_000],
  ["a minute: at three quarters", 60_000, 45_000],
  ["expired: now", -1, 0],
  ["a year: at the maximum delay of a timer", 365 * 86_400_000, 2 ** 31 - 1 - 30_000],
  ["no expiry: never", null, null],
] as const) {
  test(`renewal of a token, ${name}`, () => assert.equal(renewIn(token(expires), 0), wait));
}

test("a pasted token is used until its expiry", () => {
  assert.equal(endsIn(token(60_000), 10_000), 50_000);
});

for (const [left, says] of [[0, "expired"], [1, "1 s left"], [89_000, "89 s left"], [120_000, "2 min left"], [7_200_000, "2 h left"]] as const) {
  test(`${left} ms: ${says}`, () => assert.equal(timeLeft(token(left), 0), says));
}
