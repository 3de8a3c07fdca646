import assert from "node:assert/strict";
import { createIdentity } from "../../src/test/mod.ts";
import { withClock } from "./clock.ts";
import { bookshop, KEYS, withTokens } from "./token_app.ts";
import { assertRefused, serving } from "./token_parts.ts";

const MINUTE = 60_000;

async function assertUnavailable(response: Response): Promise<void> {
  assert.equal(response.status, 503);
  assert.deepEqual(await response.json(), { error: { code: "503", message: "Service Unavailable" } });
  assert.match(response.headers.get("retry-after")!, /^[1-9]\d*$/);
  assert.equal(response.headers.get("www-authenticate"), null);
}

Deno.test("a failing key source gets few requests for many tokens (key-set-002)", () =>
  withTokens({}, async ({ identity, get }) => {
    const tokens = await Promise.all(
      Array.from({ length: 50 }, (_, index) => identity.token({ user: `u${index}` })),
    );
    identity.behaviour = "error";
    for (const token of tokens.slice(0, 25)) await assertUnavailable(await get("members", token));
    await Promise.all(tokens.slice(25).map(async (token) => assertUnavailable(await get("members", token))));
    assert.ok(identity.requests.length <= 3, String(identity.requests.length));
  }));

Deno.test("first requests in parallel lead to one key request (key-set-004)", () =>
  withTokens({}, async ({ identity, status }) => {
    const tokens = Array.from({ length: 20 }, (_, index) => identity.token({ user: `u${index}` }));
    const all = await Promise.all((await Promise.all(tokens)).map((token) => status(token)));
    assert.deepEqual(new Set(all), new Set([200]));
    assert.equal(identity.requests.length, 1);
  }));

Deno.test("a hanging key source is given up, other requests are not affected (key-set-005)", () =>
  withTokens({ limits: { keySetMs: 1_000 } }, async ({ identity, get, status }) => {
    const other = await identity.token({ user: "bob", tenant: "t2" });
    assert.equal(await status(other), 200);
    identity.behaviour = "hang";
    const hanging = get("members", await identity.token({ user: "alice" }));
    assert.equal(await status(other), 200);
    assert.equal(await status({}, "open"), 200);
    await assertUnavailable(await hanging);
    assert.ok(identity.requests.every(({ signal }, index) => signal.aborted === (index === 1)));
  }));

Deno.test("a key source that takes no notice of the end of the time is given up (key-set-005)", () =>
  withTokens({ limits: { keySetMs: 20 }, fetch: () => new Promise(() => {}) }, async ({ identity, get }) => {
    await assertUnavailable(await get("members", await identity.token({ user: "alice" })));
  }));

Deno.test("a huge set of keys is not read to its end (key-set-007)", async () => {
  let sent = 0;
  const body = () =>
    new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 64 * 1024;
        if (sent > 50 * 1024 * 1024) controller.close();
        else controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
      },
    });
  const fetch = () => Promise.resolve(new Response(body()));
  await withTokens({ fetch }, async ({ identity, get }) => {
    await assertUnavailable(await get("members", await identity.token({ user: "alice" })));
  });
  assert.ok(sent < 2 * 1024 * 1024, String(sent));
});

Deno.test("a token of a new key is accepted after one refresh (key-set-009)", () =>
  withClock((forward) =>
    withTokens({}, async ({ identity, status }) => {
      const former = await identity.token({ user: "alice" });
      assert.equal(await status(former), 200);
      identity.rotateKeys();
      forward(31_000);
      assert.equal(await status(await identity.token({ user: "alice" })), 200);
      assert.equal(await status(former), 200);
      assert.equal(identity.requests.length, 2);
    })
  ));

Deno.test("tokens of unknown keys lead to one request in 30 seconds", () =>
  withClock((forward) =>
    withTokens({}, async (app) => {
      const { identity } = app;
      const unknown = (kid: string) => identity.token({ user: "alice", header: { kid } });
      for (let i = 0; i < 20; i++) await assertRefused(app, await unknown(`k${i}`));
      assert.equal(identity.requests.length, 1);
      forward(31_000);
      for (let i = 0; i < 20; i++) await assertRefused(app, await unknown(`l${i}`));
      assert.equal(identity.requests.length, 2);
    })
  ));

Deno.test("a token of a removed key is refused when the set has been read again (key-set-010)", () =>
  withClock((forward) =>
    withTokens({}, async (app) => {
      const { identity } = app;
      const token = await identity.token({ user: "alice" });
      assert.equal(await app.status(token), 200);
      identity.rotateKeys({ keepFormer: false });
      await identity.keyId();
      assert.equal(await app.status(token), 200);
      forward(10 * MINUTE);
      await assertRefused(app, token);
      assert.equal(await app.status(await identity.token({ user: "alice" })), 200);
    })
  ));

Deno.test("a token that is known is refused once it has expired (key-set-010)", () =>
  withClock((forward) =>
    withTokens({}, async (app) => {
      const token = await app.identity.token({ user: "alice", expiresInSeconds: 60 });
      assert.equal(await app.status(token), 200);
      forward(121_000);
      await assertRefused(app, token);
    })
  ));

/** What makes a key of a set unfit. */
const UNFIT: readonly [what: string, members: JsonWebKey & { readonly alg?: string }][] = [
  ["for encryption", { use: "enc" }],
  ["with other operations", { use: undefined, key_ops: ["encrypt"] }],
  ["with no operation", { use: undefined, key_ops: [] }],
  ["for another algorithm", { alg: "RS512" }],
];

for (const [what, members] of UNFIT) {
  Deno.test(`a key ${what} does not count (key-set-012)`, async () => {
    const identity = bookshop();
    const fetch = serving(identity, (keys) => keys.map((key) => ({ ...key, ...members })));
    await withTokens({ identity, fetch }, async (app) => {
      await assertRefused(app, await identity.token({ user: "alice" }));
    });
  });
}

Deno.test("a set that holds no usable key is a set, everything else a failure of the source", async () => {
  const identity = bookshop();
  const answers: readonly [answer: unknown, status: number][] = [
    [{ keys: [] }, 401],
    [{ keys: [null, 1, "x", {}, { kid: 1 }] }, 401],
    [{ keys: [{ kty: "RSA", kid: await identity.keyId(), n: "AQAB", e: "AQAB" }] }, 401],
    [{ keys: {} }, 503],
    [[], 503],
    [null, 503],
  ];
  for (const [answer, status] of answers) {
    await withTokens({ identity, fetch: () => Promise.resolve(Response.json(answer)) }, async (app) => {
      assert.equal(await app.status(await identity.token({ user: "alice" })), status, JSON.stringify(answer));
    });
  }
});

Deno.test("tokens of 10 000 tenants lead to a bounded number of requests and sets (key-set-014)", async () => {
  const identity = createIdentity({ kind: "oauth2", keys: KEYS });
  let running = 0;
  let most = 0;
  let sent = 0;
  const fetch = async (request: Request) => {
    sent++;
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 0));
    running--;
    return await identity.fetch(request);
  };
  await withTokens({ identity, fetch, limits: { keySets: 50, keySetRequests: 8 } }, async (app) => {
    const known = await identity.token({ user: "alice" });
    assert.equal(await app.status(known), 200);
    const header = { alg: "RS256", kid: await identity.keyId() };
    const claims = { sub: "x", azp: "x", exp: Math.floor(Date.now() / 1000) + 60 };
    const [first] = (await identity.sign(header, {})).split(".");
    const results = new Set<number>();
    for (let block = 0; block < 100; block++) {
      const forged = Array.from({ length: 100 }, (_, index) => {
        const payload = btoa(JSON.stringify({ ...claims, zid: `t-${block}-${index}` })).replace(/=*$/, "");
        return app.status(`${first}.${payload}.AAAA`);
      });
      for (const status of await Promise.all(forged)) results.add(status);
    }
    assert.deepEqual(results, new Set([401, 503]));
    assert.ok(most <= 8, String(most));
    assert.ok(sent <= 52, String(sent));
    // the set that is in use has not been driven out
    assert.equal(await app.status(known), 200);
    assert.equal(await app.status(await identity.token({ user: "bob" })), 200);
    assert.ok(sent <= 52, String(sent));
  });
});

Deno.test("while the source fails, known sets last for 30 minutes, then clients get 503, not 401 (key-set-015)", () =>
  withClock((forward) =>
    withTokens({}, async ({ identity, get, status }) => {
      const long = { expiresInSeconds: 7200 };
      const token = await identity.token({ user: "alice", ...long });
      assert.equal(await status(token), 200);
      identity.behaviour = "unreachable";
      forward(12 * MINUTE);
      assert.equal(await status(token), 200);
      assert.equal(await status(await identity.token({ user: "bob", ...long })), 200);
      forward(17 * MINUTE);
      assert.equal(await status(token), 200);
      forward(2 * MINUTE);
      await assertUnavailable(await get("members", token));
      identity.behaviour = "normal";
      forward(MINUTE);
      assert.equal(await status(token), 200);
    })
  ));

for (const behaviour of ["unreachable", "not-json", "redirect"] as const) {
  Deno.test(`a source that answers "${behaviour}" is a failing one (key-set-015)`, () =>
    withTokens({}, async ({ identity, get }) => {
      identity.behaviour = behaviour;
      await assertUnavailable(await get("members", await identity.token({ user: "alice" })));
      assert.equal(identity.requests[0]!.redirect, "manual");
    }));
}

Deno.test("a verification key bridges a failing source, but says 503 to what it does not verify", async () => {
  const identity = bookshop();
  const verificationkey = (await identity.publicKey()).replaceAll("\n", "\\n");
  const auth = { credentials: { ...identity.credentials, verificationkey } };
  identity.behaviour = "unreachable";
  await withTokens({ identity, auth }, async ({ get, status }) => {
    const token = await identity.token({ user: "alice" });
    assert.equal(await status(token), 200);
    assert.equal(await status(token), 200);
    await assertUnavailable(await get("members", `${token.slice(0, -8)}AAAAAAAA`));
    await assertUnavailable(await get("members", await identity.token({ user: "a", algorithm: "ES256" })));
  });
});

Deno.test("a verification key does not count while the source answers", async () => {
  const identity = bookshop();
  const auth = { credentials: { ...identity.credentials, verificationkey: await identity.publicKey() } };
  const token = await identity.token({ user: "alice" });
  identity.rotateKeys({ keepFormer: false });
  await withTokens({ identity, auth }, (app) => assertRefused(app, token));
});

Deno.test("the request for keys names the tenant in URL and header", () =>
  withTokens({}, async ({ identity, status }) => {
    assert.equal(await status(await identity.token({ user: "alice", tenant: "t-2" })), 200);
    const [{ url, headers, method }] = identity.requests;
    assert.deepEqual([method, url], ["GET", "https://authentication.test/token_keys?zid=t-2"]);
    assert.equal(headers.get("x-zid"), "t-2");
    assert.equal(headers.get("authorization"), null);
  }));
