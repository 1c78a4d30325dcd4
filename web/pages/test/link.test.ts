import assert from "node:assert/strict";
import { test } from "node:test";
import { linkedIn, linkOf } from "../src/operations/link.ts";

test("a link has the operation and its variables, and nothing for a server", () => {
  for (const linked of [{ query: "{ a(b: \"#&+%é\") }\n", variables: '{ "id": "x&y" }' }, { query: "{ a }", variables: "" }]) {
    const url = new URL(linkOf("https://gateway.example/pix/", linked));
    assert.deepEqual([url.origin, url.pathname, url.search], ["https://gateway.example", "/pix/", ""]);
    assert.deepEqual(linkedIn(url), linked);
  }
  assert.deepEqual(linkedIn(new URL("https://x/?query=%7Ba%7D&variables=%7B%7D")), { query: "{a}", variables: "{}" });
  assert.deepEqual(linkedIn(new URL("https://x/?query=%7Ba%7D#query=%7Bb%7D")), { query: "{b}", variables: "" });
  for (const url of ["https://x/", "https://x/?query=", "https://x/?code=1", "https://x/#a"]) assert.equal(linkedIn(new URL(url)), null, url);
});
