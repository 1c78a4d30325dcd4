import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Issuer, newAttempt } from "../src/signin/issuer.ts";

const settings = { issuer: "https://login.example.com/a", clientId: "pages", scopes: ["openid"] };

/** The error of a sign-in whose requests to the issuer end in a way that depends on their mode. */
async function failure(answer: (mode: RequestMode | undefined) => Promise<Response>): Promise<string> {
  Object.defineProperty(globalThis, "location", { value: new URL("https://pay.example.com/a/"), configurable: true });
  const fetched = mock.method(globalThis, "fetch", (_: string, init?: RequestInit) => answer(init?.mode));
  try {
    await new Issuer(settings, "https://pay.example.com/a/signed-in").authorizeURL(newAttempt(), false);
    assert.fail("signed in");
  } catch (error) {
    return (error as Error).message;
  } finally {
    fetched.mock.restore();
  }
}

test("an issuer that does not let the page read its responses is told from one that is down", async () => {
  const hidden = (mode?: RequestMode) => (mode === "no-cors" ? Promise.resolve(Response.error()) : Promise.reject(new TypeError("Failed to fetch")));
  assert.match(await failure(hidden), /login\.example\.com does not let pages of https:\/\/pay\.example\.com read its responses \(CORS\)/);
  assert.match(await failure(() => Promise.reject(new TypeError("Failed to fetch"))), /cannot be reached at https:\/\/login\.example\.com\./);
});
