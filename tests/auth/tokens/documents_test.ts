import assert from "node:assert/strict";
import { Discovery, Documents } from "../../../src/auth/tokens/documents.ts";
import { TokenRefused } from "../../../src/auth/tokens/token.ts";
import { ServiceError } from "../../../src/errors/service_error.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

interface Source {
  /** What is served, or why nothing is. */
  answer: () => Response | Promise<Response>;
  now: number;
  readonly requests: string[];
  readonly warnings: string[];
}

/** A cache whose clock and source a test holds in its hands. */
function setUp(limits: { readonly keySets?: number; readonly keySetRequests?: number } = {}) {
  let served = 0;
  const source: Source = {
    answer: () => Response.json({ served: ++served }),
    now: Date.UTC(2026, 0, 1),
    requests: [],
    warnings: [],
  };
  const documents = new Documents<number>({
    fetch: (request) => {
      source.requests.push(request.url);
      return Promise.resolve().then(() => source.answer());
    },
    clock: () => source.now,
    limits: { keySets: 100, keySetBytes: 1000, keySetMs: 1000, keySetRequests: 10, ...limits },
    warn: (text) => source.warnings.push(text),
  }, (json) => (json as { served: number }).served);
  return { documents, source };
}

const at = (name: string) => ({ url: `https://id.test/${name}`, headers: {}, cacheKey: name });
const KEYS = at("keys");
const fail = () => new Response("", { status: 500 });

/** Lets background work come to its end. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

async function assertUnavailable(work: Promise<unknown>, retryAfter: number): Promise<void> {
  await assert.rejects(work, (error: ServiceError) => {
    assert.ok(error instanceof ServiceError);
    assert.deepEqual([error.status, (error as { retryAfter?: number }).retryAfter], [503, retryAfter]);
    return true;
  });
}

Deno.test("a document is used for 5 minutes without looking for a newer one", async () => {
  const { documents, source } = setUp();
  assert.equal((await documents.get(KEYS)).value, 1);
  source.now += 5 * MINUTE - 1;
  assert.equal((await documents.get(KEYS)).value, 1);
  await settle();
  assert.equal(source.requests.length, 1);
});

Deno.test("from 5 minutes on a newer one is fetched in the background, once", async () => {
  const { documents, source } = setUp();
  await documents.get(KEYS);
  source.now += 5 * MINUTE;
  const old = [await documents.get(KEYS), documents.fresh(KEYS), await documents.get(KEYS)];
  assert.deepEqual(old.map((one) => one?.value), [1, 1, 1]);
  await settle();
  assert.equal(source.requests.length, 2);
  const renewed = documents.fresh(KEYS)!;
  assert.equal(renewed.value, 2);
  assert.notEqual(renewed.version, old[0]!.version);
});

Deno.test("after 10 minutes a document is not used before it has been read again", async () => {
  const { documents, source } = setUp();
  await documents.get(KEYS);
  source.now += 10 * MINUTE;
  assert.equal(documents.fresh(KEYS), undefined);
  const [first, second] = await Promise.all([documents.get(KEYS), documents.get(KEYS)]);
  assert.deepEqual([first.value, second.value, source.requests.length], [2, 2, 2]);
});

Deno.test("the log says why a source cannot be reached (auth 6)", async () => {
  const { documents, source } = setUp();
  source.answer = () => {
    throw new TypeError("fetch failed", { cause: new Error("connection refused") });
  };
  await assert.rejects(documents.get(KEYS), { status: 503 });
  assert.deepEqual(source.warnings, ["https://id.test/keys cannot be read: connection refused"]);
});

Deno.test("a failing background request changes nothing, and is not repeated at once", async () => {
  const { documents, source } = setUp();
  await documents.get(KEYS);
  source.now += 6 * MINUTE;
  source.answer = fail;
  for (let i = 0; i < 5; i++) {
    assert.equal((await documents.get(KEYS)).value, 1);
    await settle();
  }
  assert.equal(source.requests.length, 2);
  assert.deepEqual(source.warnings, ["https://id.test/keys cannot be read: answered with status 500"]);
});

Deno.test("an old document is used for 30 minutes while the source fails", async () => {
  const { documents, source } = setUp();
  await documents.get(KEYS);
  source.answer = fail;
  source.now += 30 * MINUTE - 1;
  assert.equal((await documents.get(KEYS)).value, 1);
  source.now += 1;
  await assertUnavailable(documents.get(KEYS), 1);
});

Deno.test("pauses after failures grow from 1 to 30 seconds, with and without a document", async () => {
  for (const known of [true, false]) {
    const { documents, source } = setUp();
    if (known) await documents.get(KEYS);
    source.now += 40 * MINUTE;
    source.answer = fail;
    const sent = source.requests.length;
    const pauses = [1, 2, 4, 8, 16, 30, 30];
    for (const [index, pause] of pauses.entries()) {
      await assertUnavailable(documents.get(KEYS), pause);
      await assertUnavailable(documents.get(KEYS), pause);
      source.now += pause * SECOND - 1001;
      if (pause > 1) await assertUnavailable(documents.get(KEYS), 2);
      source.now += SECOND;
      await assertUnavailable(documents.get(KEYS), 1);
      assert.equal(source.requests.length, sent + index + 1);
      source.now += 1;
    }
    source.answer = () => Response.json({ served: 9 });
    assert.equal((await documents.get(KEYS)).value, 9);
    source.now += 11 * MINUTE;
    source.answer = fail;
    assert.equal((await documents.get(KEYS)).value, 9);
    source.now += 20 * MINUTE;
    // a success has made the pauses short again
    await assertUnavailable(documents.get(KEYS), 2);
  }
});

Deno.test("a request that was answered is not ended when its time is over", async () => {
  const ended: boolean[] = [];
  const documents = new Documents<unknown>({
    fetch: (request) => {
      request.signal.addEventListener("abort", () => ended.push(true));
      return Promise.resolve(Response.json({}));
    },
    clock: () => 0,
    limits: { keySets: 1, keySetBytes: 1000, keySetMs: 50, keySetRequests: 10 },
    warn: () => {},
  }, (json) => json);
  await documents.get(KEYS);
  await new Promise((resolve) => setTimeout(resolve, 60));
  assert.deepEqual(ended, []);
});

Deno.test("a newer document is not asked for within 30 seconds", async () => {
  const { documents, source } = setUp();
  const first = await documents.get(KEYS);
  source.now += 30 * SECOND - 1;
  assert.equal(await documents.newer(KEYS, first), undefined);
  source.now += 1;
  const [second, same] = await Promise.all([documents.newer(KEYS, first), documents.newer(KEYS, first)]);
  assert.deepEqual([second!.value, same!.value], [2, 2]);
  assert.equal(await documents.newer(KEYS, first), second);
  assert.equal(source.requests.length, 2);
});

Deno.test("a clock that is set back blocks nothing", async () => {
  const { documents, source } = setUp();
  await documents.get(KEYS);
  source.now -= 60 * MINUTE;
  assert.equal((await documents.get(KEYS)).value, 2);
  source.answer = fail;
  const other = at("other");
  await assertUnavailable(documents.get(other), 1);
  source.now -= 60 * MINUTE;
  await assertUnavailable(documents.get(other), 2);
  assert.equal(source.requests.length, 4);
});

Deno.test("the pause after a failure ends with the next document that is read, at a clock that is set back, too", async () => {
  const { documents, source } = setUp();
  const { answer } = source;
  source.answer = fail;
  await assertUnavailable(documents.get(KEYS), 1);
  source.now -= 60 * MINUTE;
  source.answer = answer;
  assert.equal((await documents.get(KEYS)).value, 1);
  source.now += 60 * MINUTE;
  assert.equal((await documents.get(KEYS)).value, 2);
});

Deno.test("a request that never ends is not waited for by later ones", async () => {
  const { documents, source } = setUp();
  source.answer = () => new Promise(() => {});
  const first = documents.get(KEYS);
  await settle();
  source.now += 2000;
  void documents.get(KEYS);
  await settle();
  assert.equal(source.requests.length, 1);
  source.now += 1;
  source.answer = () => Response.json({ served: 5 });
  assert.equal((await documents.get(KEYS)).value, 5);
  assert.equal((await first).value, 5);
  assert.equal(source.requests.length, 2);
});

Deno.test("the longest unused document is dropped, one that a token was accepted with last", async () => {
  const { documents, source } = setUp({ keySets: 3 });
  const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map(at);
  for (const one of [a!, b!, c!]) await documents.get(one);
  documents.trust(a!);
  documents.fresh(b!);
  source.now += 9 * MINUTE;
  await documents.get(d!);
  documents.trust(b!);
  documents.trust(d!);
  assert.deepEqual([a, b, c, d].map((one) => documents.fresh(one!) !== undefined), [true, true, false, true]);
  await settle();
  await documents.get(e!);
  assert.deepEqual([a, b, d, e].map((one) => documents.fresh(one!) !== undefined), [false, true, true, true]);
});

Deno.test("requests for unknown documents are bounded, those for trusted ones are not", async () => {
  const { documents, source } = setUp({ keySets: 4, keySetRequests: 2 });
  await documents.get(KEYS);
  documents.trust(KEYS);
  for (const name of ["a", "b", "c"]) await documents.get(at(name));
  await assertUnavailable(documents.get(at("e")), 1);
  assert.equal(source.requests.length, 4);
  source.now += 10 * MINUTE;
  // all of the budget is back
  for (const name of ["f", "g", "h", "i"]) await documents.get(at(name));
  await assertUnavailable(documents.get(at("j")), 1);
  documents.trust(KEYS);
  assert.equal((await documents.get(at("i"))).value, 8);
});

Deno.test("a document of the permitted size is read, one byte more is too much", async () => {
  const { documents, source } = setUp();
  const json = JSON.stringify({ served: 1 });
  source.answer = () => new Response(json.padEnd(1000, " "));
  assert.equal((await documents.get(at("small"))).value, 1);
  source.answer = () => new Response(json.padEnd(1001, " "));
  await assertUnavailable(documents.get(at("large")), 1);
  assert.match(source.warnings[0]!, /more than 1000 bytes$/);
});

Deno.test("only status 200 brings a document", async () => {
  const { documents, source } = setUp();
  for (const status of [201, 206, 301, 404, 500]) {
    source.answer = () => Response.json({ served: 1 }, { status });
    await assertUnavailable(documents.get(at(`status-${status}`)), 1);
  }
});

Deno.test("what a source answers is not part of the log", async () => {
  const { documents, source } = setUp();
  source.answer = () => new Response("secret\n");
  await assertUnavailable(documents.get(KEYS), 1);
  assert.deepEqual(source.warnings, [
    "https://id.test/keys cannot be read: answered with something that is no JSON",
  ]);
});

Deno.test("a source is unavailable, too, where the text of its refusal cannot be left", async () => {
  const { documents, source } = setUp();
  const cancel = () => Promise.reject(new Error("broken"));
  source.answer = () => new Response(new ReadableStream({ cancel }), { status: 500 });
  await assertUnavailable(documents.get(KEYS), 1);
  await settle();
});

Deno.test("whose configuration that of an issuer is, is told once, and remembered of 100 issuers", async () => {
  const told: string[] = [];
  const discovery = new Discovery({
    fetch: () =>
      Promise.resolve(Response.json({ issuer: "https://other.test", jwks_uri: "https://other.test/keys" })),
    clock: () => Date.UTC(2026, 0, 1),
    limits: { keySets: 1000, keySetBytes: 1000, keySetMs: 1000, keySetRequests: 1000 },
    warn: (text) => told.push(/issuer "https:..(\w+)/.exec(text)![1]!),
  });
  const ask = (name: string) => assert.rejects(discovery.keysUrl(`https://${name}.test`), TokenRefused);
  const names = Array.from({ length: 100 }, (_, index) => `n${index}`);
  for (const name of [...names, "n0", "n99"]) await ask(name);
  assert.deepEqual(told.splice(0), names);
  // one more, and all are told again
  for (const name of ["n100", "n100", "n0"]) await ask(name);
  assert.deepEqual(told, ["n100", "n0"]);
});

Deno.test("of the other issuer that a configuration names, 200 characters are told", async () => {
  const cases: readonly [unknown, string][] = [
    ["https://other.test", '"https://other.test"'],
    ["x".repeat(200), `"${"x".repeat(200)}"`],
    ["x".repeat(201), `"${"x".repeat(200)}"`],
    [7, "none"],
    [undefined, "none"],
  ];
  for (const [issuer, found] of cases) {
    const told: string[] = [];
    const discovery = new Discovery({
      fetch: () => Promise.resolve(Response.json({ issuer, jwks_uri: "https://other.test/keys" })),
      clock: () => Date.UTC(2026, 0, 1),
      limits: { keySets: 1000, keySetBytes: 1000, keySetMs: 1000, keySetRequests: 1000 },
      warn: (text) => told.push(text),
    });
    await assert.rejects(discovery.keysUrl("https://id.test"), TokenRefused);
    assert.deepEqual(told, [
      `The configuration of issuer "https://id.test" names another issuer: ${found}`,
    ]);
  }
});
