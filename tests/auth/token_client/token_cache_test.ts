import assert from "node:assert/strict";
import { TokenCache, TokenRequestError } from "../../../src/auth/token_client/token_response.ts";

/** A cache of two tokens whose source numbers them, and a clock. */
function numbered(expires_in = 3600) {
  const state = { now: 0, fetched: 0 };
  const cache = new TokenCache(2, () => state.now);
  const fetch = () => {
    state.fetched++;
    return Promise.resolve({ access_token: `t${state.fetched}`, token_type: "bearer", expires_in });
  };
  const get = async (key: string) => (await cache.get(key, fetch)).access_token;
  return { state, cache, fetch, get };
}

Deno.test("a token with less than five minutes left is fetched anew (token-client-004)", async () => {
  const { state, get } = numbered();
  assert.equal(await get("a"), "t1");
  state.now = 3_300_000;
  assert.equal(await get("a"), "t1");
  state.now = 3_300_001;
  assert.equal(await get("a"), "t2");
  state.now += 3_300_000;
  assert.equal(await get("a"), "t2");
});

Deno.test("expires_in counts down to the end of the token [8.3]", async () => {
  const { state, cache, fetch } = numbered();
  assert.equal((await cache.get("a", fetch)).expires_in, 3600);
  state.now = 600_500;
  assert.equal((await cache.get("a", fetch)).expires_in, 2999);
  assert.equal(state.fetched, 1);
});

Deno.test("a token that lives less than five minutes is never taken from the cache", async () => {
  const { state, get } = numbered(299);
  assert.equal(await get("a"), "t1");
  assert.equal(await get("a"), "t2");
  assert.equal(state.fetched, 2);
});

Deno.test("the cache holds as many tokens as it may; the one not used for longest goes", async () => {
  const { cache, get } = numbered();
  await get("a");
  await get("b");
  await get("a");
  await get("c");
  assert.equal(cache.size, 2);
  assert.equal(await get("a"), "t1");
  assert.equal(await get("b"), "t4");
});

Deno.test("a token that was renewed counts as the one used last", async () => {
  const { state, get } = numbered();
  await get("a");
  await get("b");
  state.now = 3_400_000;
  assert.equal(await get("a"), "t3");
  await get("c");
  assert.equal(await get("a"), "t3");
});

Deno.test("requests for one token at the same time become one", async () => {
  const { state, cache, fetch } = numbered();
  const tokens = await Promise.all(["a", "a", "b", "a"].map((key) => cache.get(key, fetch)));
  assert.deepEqual(tokens.map((token) => token.access_token), ["t1", "t1", "t2", "t1"]);
  assert.equal(state.fetched, 2);
});

Deno.test("a failure reaches all who wait and is not kept", async () => {
  const { cache, get } = numbered();
  const fail = () => Promise.reject(new Error("down"));
  const both = await Promise.allSettled([cache.get("a", fail), cache.get("a", fail)]);
  assert.deepEqual(both.map(({ status }) => status), ["rejected", "rejected"]);
  assert.equal(await get("a"), "t1");
});

Deno.test("in an outage a token that could not be renewed serves until its end", async () => {
  const { state, cache, get } = numbered();
  const failing = (status?: number) => () => Promise.reject(new TokenRequestError("x", { status }));
  await get("a");
  state.now = 3_599_000;
  for (const status of [undefined, 503, 429]) {
    const { access_token, expires_in } = await cache.get("a", failing(status));
    assert.deepEqual([access_token, expires_in], ["t1", 1]);
  }
  state.now = 3_599_999;
  assert.equal((await cache.get("a", failing())).access_token, "t1");
  state.now = 3_600_000;
  await assert.rejects(cache.get("a", failing()), TokenRequestError);
  assert.equal(cache.size, 0);
});

Deno.test("a token whose renewal is refused is dropped", async () => {
  const { state, cache, get } = numbered();
  const failing = (status: number) => () => Promise.reject(new TokenRequestError("x", { status }));
  await get("a");
  state.now = 3_400_000;
  await assert.rejects(cache.get("a", failing(401)), TokenRequestError);
  await assert.rejects(cache.get("a", failing(503)), TokenRequestError);
  assert.equal(await get("a"), "t2");
});
