import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeBase64URL, encodeBase64URL } from "../src/signin/base64url.ts";
import { challengeOf, randomText } from "../src/signin/pkce.ts";

test("the challenge is that of RFC 7636, appendix B", async () => {
  assert.equal(await challengeOf("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
});

test("random texts are long enough for a verifier, and unique", () => {
  const texts = new Set(Array.from({ length: 100 }, randomText));
  assert.equal(texts.size, 100);
  for (const text of texts) assert.match(text, /^[A-Za-z0-9_-]{43}$/);
});

test("base64url is decoded to the same bytes, and needs no escapes in a URL", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, n) => n);
  const text = encodeBase64URL(bytes);
  assert.doesNotMatch(text, /[+/=]/);
  assert.deepEqual(decodeBase64URL(text), bytes);
  assert.throws(() => decodeBase64URL("a+b/"));
});
