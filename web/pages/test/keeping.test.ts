import assert from "node:assert/strict";
import { test } from "node:test";
import { Stored } from "../src/base/stored.ts";
import { encodeBase64URL } from "../src/signin/base64url.ts";
import { Keeper } from "../src/signin/keeper.ts";
import { readToken } from "../src/signin/token.ts";
import { storageWithoutHeaders, withoutHeaders } from "../src/storage.ts";

/** The used part of a browser's storage. */
function memory(): Storage {
  const items = new Map<string, string>();
  const methods = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };
  const handler: ProxyHandler<typeof methods> = {
    ownKeys: () => [...items.keys()],
    getOwnPropertyDescriptor: (target, key) => describe(items, target, key),
  };
  return new Proxy(methods, handler) as unknown as Storage;
}

function describe(items: Map<string, string>, target: object, key: string | symbol): PropertyDescriptor | undefined {
  return items.has(String(key)) ? { enumerable: true, configurable: true } : Reflect.getOwnPropertyDescriptor(target, key);
}

const token = readToken(`e30.${encodeBase64URL(new TextEncoder().encode('{"exp":100}'))}.c2ln`);

test("a token is stored only if the user wants that, and removed afterwards", () => {
  const storage = memory();
  const keeper = new Keeper(storage, "/", memory());
  keeper.store({ token, keep: false, signedIn: true });
  assert.equal(keeper.token(0), null);
  assert.equal(keeper.signedIn, true);
  assert.ok(!Object.keys(storage).some((key) => storage.getItem(key)?.includes(token.text)));
  keeper.store({ token, keep: true, signedIn: true });
  assert.equal(keeper.token(0)?.text, token.text);
  assert.equal(keeper.token(100_000), null, "the token has expired");
  assert.equal(new Keeper(storage, "/pix/", memory()).token(0), null, "another gateway");
  keeper.store({ token: null, keep: true, signedIn: false });
  assert.equal(keeper.token(0), null);
  assert.equal(keeper.signedIn, false);
  assert.equal(keeper.keepsToken, true);
});

test("a sign-out holds for other tabs until a user signs in", () => {
  const [shared, tab] = [memory(), memory()];
  new Keeper(tab, "/", shared).store({ token, keep: true, signedIn: true });
  new Keeper(memory(), "/", shared).signedOut = true;
  const other = new Keeper(tab, "/", shared);
  assert.deepEqual([other.signedIn, other.token(0), other.keepsToken], [false, null, true]);
  assert.equal(other.signedOut, true);
  other.signedOut = false;
  assert.equal(new Keeper(memory(), "/", shared).signedOut, false);
});

test("what a browser does not store is kept in memory, without an older value in the storage", () => {
  const full = Object.assign(memory(), { setItem() { throw new Error("full"); } });
  const denied = () => { throw new Error("denied"); };
  const storage = memory();
  let of: () => Storage = () => storage;
  const stored = new Stored(() => of());
  stored.setItem("a", "1");
  assert.equal(storage.getItem("a"), "1");
  for (of of [denied, () => full, () => Object.assign(storage, { setItem: full.setItem })]) {
    stored.setItem("a", "2");
    assert.equal(stored.getItem("a"), "2");
    stored.removeItem("a");
    assert.equal(stored.getItem("a"), null);
  }
  assert.equal(storage.getItem("a"), null);
});

test("headers are never stored", () => {
  const secret = '{"Authorization":"Bearer s3cret"}';
  for (const value of [
    JSON.stringify({ tabs: [{ query: "{a}", headers: secret }], activeTabIndex: 0 }),
    JSON.stringify({ queries: [{ query: "{a}", headers: secret }] }),
  ]) {
    const kept = withoutHeaders(value);
    assert.ok(!kept.includes("s3cret") && kept.includes("{a}"), kept);
  }
});

test("other texts are stored unchanged", () => {
  for (const value of ["{ a }", '{"rows":5}', 'query { "headers" ', ""]) assert.equal(withoutHeaders(value), value);
});

test("clearing removes only items of GraphiQL", () => {
  const storage = memory();
  storage.setItem("graphiql:query", "{a}");
  storage.setItem("another", "1");
  const cleared = storageWithoutHeaders(storage);
  assert.equal(cleared.length, 1);
  cleared.clear();
  assert.equal(cleared.length, 0);
  assert.equal(storage.getItem("another"), "1");
});
